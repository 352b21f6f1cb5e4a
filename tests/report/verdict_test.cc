#include "lib/report/verdict.h"

#include "lib/report/views.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A step of one second, of which `parts` take what they say.
StepPrediction step_of(std::vector<BreakdownPart> parts) {
  StepPrediction p;
  p.family = DeviceFamily::kTpu;
  p.step_seconds = 1;
  p.breakdown = std::move(parts);
  for (const Resource resource : {Resource::kMatrix, Resource::kHbm, Resource::kIci}) {
    ResourceUse use;
    use.resource = resource;
    p.resources.push_back(use);
  }
  return p;
}

void set_busy(StepPrediction& p, Resource resource, double seconds) {
  for (ResourceUse& use : p.resources) {
    if (use.resource == resource) use.busy_seconds = seconds;
  }
}

void add_collective(StepPrediction& p, const std::string& kind, const std::string& axis, double exposed) {
  CollectivePrediction& collective = p.collectives.emplace_back();
  collective.kind = kind;
  collective.axis_names = {axis};
  collective.exposed_seconds = exposed;
}

void add_op(StepPrediction& p, Resource bound, double seconds, double efficiency) {
  OpPrediction& op = p.ops.emplace_back();
  op.name = "op" + std::to_string(p.ops.size());
  op.bound = bound;
  op.total_seconds = seconds;
  op.efficiency = efficiency;
}

BreakdownPart works(const char* name, Resource resource, double seconds) { return {name, resource, false, seconds}; }
BreakdownPart waits(const char* name, double seconds) { return {name, Resource::kIci, true, seconds}; }

TEST_CASE("a wait that no schedule can hide") {
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 0.5), waits("wait (ici, axis_0)", 0.5)});
  set_busy(p, Resource::kIci, 0.9);
  set_busy(p, Resource::kMatrix, 0.6);
  add_collective(p, "all-gather", "axis_0", 0.4);
  add_collective(p, "reduce-scatter", "axis_0", 0.05);
  add_collective(p, "all-reduce", "axis_1", 0.05);
  p.mesh = {{"axis_0", 8, 1, {"FSDP"}, "", ""}};
  add_op(p, Resource::kMatrix, 0.5, 0.9);
  CHECK(verdict(p) ==
        "50 % of the step waits for all-gather over axis_0 (FSDP): ici is busy for 900 ms, the chip itself for 600 ms. "
        "No schedule can hide that; 1.5 times the batch per device could. 50 % of the step is bound by mxu, at 90.0 % "
        "of its peak: these ops are near their roof.");
}

TEST_CASE("work that takes a small part of a step that waits is not remarked on") {
  StepPrediction p = step_of({waits("wait (ici, axis_0)", 0.95), works("overhead", Resource::kLatency, 0.05)});
  CHECK(verdict(p) == "95 % of the step waits for ici, axis_0.");
  p = step_of({works("overhead", Resource::kLatency, 0.05)});  // but it is, if there is nothing else
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("5 % of the step is overhead"));
}

TEST_CASE("a wait that a schedule can hide, and a fit that fails") {
  StepPrediction p = step_of({waits("wait (ici, axis_0)", 0.6), works("hbm", Resource::kHbm, 0.4)});
  set_busy(p, Resource::kIci, 0.6);
  set_busy(p, Resource::kHbm, 0.7);
  add_collective(p, "all-gather", "axis_0", 0.6);
  add_op(p, Resource::kHbm, 0.4, 0.5);
  p.memory.fits = false;
  p.memory.hbm_peak_bytes = 3.0 * (1 << 30);
  p.memory.usable_bytes = 1.0 * (1 << 30);
  CHECK(verdict(p) ==
        "The program does NOT fit: it needs 2.00 GiB more memory. 60 % of the step waits for all-gather over axis_0: "
        "ici is busy for 600 ms, the chip itself for 700 ms. A schedule with more overlap can hide it. 40 % of the "
        "step is bound by hbm, at 50.0 % of its peak. Most is lost in op1: 400 ms at 50.0 % of its roof.");
}

TEST_CASE("small waits are not the verdict, overhead is") {
  const StepPrediction p = step_of({works("latency", Resource::kLatency, 0.95), waits("wait (hbm)", 0.05)});
  CHECK(verdict(p) ==
        "95 % of the step is overhead: launches, latencies and pipeline fills. Fewer and larger ops would help.");
  CHECK(verdict(StepPrediction()).empty());
}

TEST_CASE("the bars of the breakdown add up to the step") {
  const StepPrediction p =
      step_of({works("mxu", Resource::kMatrix, 0.75), waits("wait (ici, axis_0)", 0.24),
               works("vpu", Resource::kVector, 0.006), works("latency", Resource::kLatency, 0.004)});
  CHECK(breakdown_view(p, {}) ==
        "Where the step goes: what the compute stream works on, or waits for\n"
        "    share     time                                  what\n"
        "   75.0 %   750 ms  ##############################  mxu\n"
        "   24.0 %   240 ms  ##########                      wait (ici, axis_0)\n"
        "    1.0 %  10.0 ms                                  [2 others]\n"
        "  100.0 %   1.00 s                                  the step\n");
}

}  // namespace
}  // namespace hloroof::internal
