// What another order could hide of a collective.
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

}  // namespace
}  // namespace hloroof::internal
