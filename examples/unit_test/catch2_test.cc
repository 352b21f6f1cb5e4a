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

TEST_CASE("the feed-forward block stays within its budget on a v5e 2x4") {
  const auto module = hloroof::load_module(EXAMPLES_DIR "/ffn_block.v5e_2x4.hlo");
  REQUIRE(module.ok());
  const auto target = hloroof::find_target("tpu_v5e:2x4");
  REQUIRE(target.ok());

  const auto step = hloroof::predict_step_time(*module, *target);
  REQUIRE(unknown_at_most(step, 0));  // a budget is meaningful only if the whole program is known
  CHECK(step_faster_than(step, 15e-3));
  CHECK(fits_in_memory(step));
  CHECK(bound_by(step, "mxu"));
  CHECK(exposed_communication_below(step, 5e-3));
  CHECK(exposed_communication_below(step, 0.4 * step->step_seconds));
  CHECK(mfu_above(step, 0.4));
  CHECK(has_no_diagnostic(step, "unknown-trip-count"));

  // A product of this size and layout wastes nothing.
  const auto product = hloroof::predict_step_time(
      "HloModule product, is_scheduled=true\n\nENTRY main { x = bf16[4096,4096]{1,0:T(8,128)(2,1)} parameter(0)\n"
      "ROOT y = bf16[4096,4096]{1,0:T(8,128)(2,1)} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      "tpu_v5e");
  CHECK(has_no_warning(product));

  // Every figure is a plain member. Each chip has 3 matrix products of 8192 x 4096 x 7168, which are counted exactly.
  CHECK(step->flops >= 3 * 2.0 * 8192 * 4096 * 7168);
}
