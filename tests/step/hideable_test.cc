// What another order could hide of a collective, and transfers in the two directions of a ring.
#include "lib/step/hideable.h"

#include <string>

#include "hloroof/predict.h"
#include "lib/step/summary.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

const std::string kArray = "f32[8192,8192]{1,0}";

// An all-reduce over eight GPUs of a value that an op made, and another op on `other` behind its end.
std::string program(const std::string& other) {
  return "HloModule m, is_scheduled=true, num_partitions=8\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] "
         "parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\nENTRY main {\n  x = " +
         kArray + " parameter(0)\n  y = " + kArray + " parameter(1)\n  made = " + kArray +
         " negate(x)\n  s = " + kArray +
         " all-reduce-start(made), channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=add\n"
         "  e = " +
         kArray + " all-reduce-done(s)\n  n = " + kArray + " negate(" + other + ")\n  ROOT t = (" + kArray + ", " +
         kArray + ") tuple(e, n)\n}\n";
}

TEST_CASE("ops that neither come before the start of a collective nor need its end can hide it") {
  const StepPrediction apart = predict_step_time(program("y"), "h100_sxm:8").value();
  const StepPrediction chained = predict_step_time(program("e"), "h100_sxm:8").value();
  REQUIRE(apart.collectives.size() == 1);
  REQUIRE(chained.collectives.size() == 1);
  const OpPrediction& other = apart.ops.back().name == "t" ? apart.ops[apart.ops.size() - 2] : apart.ops.back();
  REQUIRE(other.name == "n");
  const CollectivePrediction& collective = apart.collectives.front();
  REQUIRE(collective.exposed_seconds > other.seconds);
  CHECK(collective.hideable_seconds.value() == Approx(other.seconds));
  CHECK(chained.collectives.front().hideable_seconds.value() == 0);
}

TEST_CASE("permutes in the two directions of a ring run side by side") {
  const std::string shape = "bf16[4096,2048]{1,0:T(8,128)(2,1)}";
  const auto step_of = [&](const std::string& first, const std::string& second) {
    const std::string start = "(" + shape + ", " + shape + ", u32[]{:S(2)}, u32[]{:S(2)}) collective-permute-start(";
    const std::string text = "HloModule m, is_scheduled=true, num_partitions=4\n\nENTRY main {\n  x = " + shape +
                             " parameter(0)\n  y = " + shape + " parameter(1)\n  s = " + start +
                             "x), channel_id=1, source_target_pairs={" + first + "}\n  r = " + start +
                             "y), channel_id=2, source_target_pairs={" + second + "}\n  d = " + shape +
                             " collective-permute-done(s)\n  e = " + shape +
                             " collective-permute-done(r)\n  ROOT t = (" + shape + ", " + shape + ") tuple(d, e)\n}\n";
    return predict_step_time(text, "tpu_v5e:2x2").value().step_seconds;
  };
  const struct {
    const char* what;
    const char* forth;
    const char* back;
  } cases[] = {{"one axis", "{0,1},{2,3}", "{1,0},{3,2}"},
               {"a ring through two axes", "{0,1},{1,2},{2,3},{3,0}", "{1,0},{2,1},{3,2},{0,3}"}};
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const double alone = step_of(c.forth, c.forth);
    CHECK(step_of(c.forth, c.back) < 0.55 * alone);
    CHECK(step_of(c.back, c.back) == Approx(alone));
  }
}

}  // namespace
}  // namespace hloroof::internal
