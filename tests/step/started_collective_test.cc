// A fusion that starts a collective ends with the first step of its ring; other work hides the rest.
#include <cstdint>
#include <string>

#include "hloroof/predict.h"
#include "lib/step/costs.h"
#include "lib/step/facts.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// An all-gather over `devices` chips in a fusion that starts it and one that ends it, and `work` elements of work that
// needs neither.
std::string program(std::int64_t devices, std::int64_t work) {
  const std::string part = "f32[1024,1024]{1,0:T(8,128)}";
  const std::string whole = "f32[" + std::to_string(1024 * devices) + ",1024]{1,0:T(8,128)}";
  const std::string other = "f32[" + std::to_string(work / 1024) + ",1024]{1,0:T(8,128)}";
  const std::string gather = "  g = " + whole + " all-gather(p), dimensions={0}, channel_id=1, replica_groups=[1," +
                             std::to_string(devices) + "]<=[" + std::to_string(devices) +
                             "], use_global_device_ids=true\n";
  return "HloModule m, is_scheduled=true, num_partitions=" + std::to_string(devices) + "\n\nstart {\n  p = " + part +
         " parameter(0)\n" + gather + "  ROOT s = (" + part + ", " + whole +
         ") custom-call(g), custom_call_target=\"AsyncCollectiveStart\"\n}\n\ndone {\n  p = " + part +
         " parameter(0)\n  o = " + whole + " parameter(1)\n" + gather + "  ROOT d = " + whole +
         " custom-call(p, o, g), custom_call_target=\"AsyncCollectiveDone\"\n}\n\nENTRY main {\n  x = " + part +
         " parameter(0)\n  y = " + other + " parameter(1)\n  s = (" + part + ", " + whole +
         ") fusion(x), kind=kCustom, calls=start\n  from = " + part +
         " get-tuple-element(s), index=0\n  into = " + whole + " get-tuple-element(s), index=1\n  n = " + other +
         " negate(y)\n  e = " + whole + " fusion(from, into), kind=kCustom, calls=done\n  ROOT t = (" + other + ", " +
         whole + ") tuple(n, e)\n}\n";
}

const OpPrediction& op(const StepPrediction& step, const std::string& name) {
  for (const OpPrediction& candidate : step.ops) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no op is called " << name);
  return step.ops.front();
}

TEST_CASE("the start of a collective in a fusion takes the first step of its ring") {
  const struct {
    const char* target;
    std::int64_t devices;
    double steps;
  } cases[] = {{"tpu_v5p:2x2x1", 4, 2}, {"tpu_v6e:2x4", 8, 4}, {"tpu_v6e:4x8", 32, 16}, {"tpu_v5e:16x16", 256, 128}};
  for (const auto& c : cases) {
    CAPTURE(c.target);
    // Work for longer than any of the gathers takes, so that only the first step is exposed.
    const StepPrediction step = predict_step_time(program(c.devices, std::int64_t{1} << 32), c.target).value();
    const Demand& demand = step.facts->costs.demand[op(step, "s").id.index];
    REQUIRE(demand.seconds > 0);
    CHECK(demand.held == Approx(demand.seconds / c.steps));
    CHECK(op(step, "s").exposed_seconds == Approx(demand.held));
    CHECK(op(step, "e").wait_seconds == 0);
  }
}

}  // namespace
}  // namespace hloroof::internal
