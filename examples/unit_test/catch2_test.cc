// A test with Catch2 (version 2 or 3) that fails if the predicted step of a program exceeds its budget. It needs no
// device, has no noise and runs in milliseconds.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "hloroof/testing.h"

using namespace hloroof::matchers;

TEST_CASE("the feed-forward block stays within its budget on a v5e 2x4") {
  const auto module = hloroof::load_module(EXAMPLES_DIR "/ffn_block.v5e_2x4.hlo");
  REQUIRE(module.ok());
  const auto target = hloroof::find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());

  const auto step = hloroof::predict_step_time(*module, *target);
  REQUIRE_THAT(step, unknown_at_most(0));  // a budget is meaningful only if the whole program is known
  CHECK_THAT(step, step_faster_than(15e-3) && fits_in_memory());
  CHECK_THAT(step, bound_by("mxu") && exposed_communication_share_below(0.4) && exposed_communication_below(5e-3));
  CHECK_THAT(step, mfu_above(0.4));
  CHECK_THAT(step, has_no_diagnostic("unknown-trip-count"));

  // A product of this size and layout wastes nothing.
  const auto product = hloroof::predict_step_time(
      "HloModule product, is_scheduled=true\n\nENTRY main { x = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)\n"
      "ROOT y = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      "tpu_v5e");
  CHECK_THAT(product, has_no_warning());

  // Every figure is a plain member. Each chip has 3 matrix products of 8192 x 4096 x 7168, which are counted exactly.
  CHECK(step->flops >= 3 * 2.0 * 8192 * 4096 * 7168);
}
