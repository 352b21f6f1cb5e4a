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

void add_collective(StepPrediction& p, const std::string& kind, const std::string& axis, double exposed,
                    AxisRole role = AxisRole::kUnknown) {
  CollectivePrediction& collective = p.collectives.emplace_back();
  collective.kind = kind;
  collective.axis_names = {axis};
  collective.role = role;
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
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 0.5), waits("wait (ici, data)", 0.5)});
  set_busy(p, Resource::kIci, 0.9);
  set_busy(p, Resource::kMatrix, 0.6);
  add_collective(p, "all-gather", "data", 0.4, AxisRole::kFsdp);
  add_collective(p, "reduce-scatter", "data", 0.05, AxisRole::kFsdp);
  add_collective(p, "all-reduce", "model", 0.05);
  p.mesh = {{"data", 8, 1, {"FSDP"}, "", ""}};
  add_op(p, Resource::kMatrix, 0.5, 0.9);
  CHECK(verdict(p) ==
        "50 % of the step waits for all-gather over data (FSDP): ici is busy for 900 ms, and the other ops take 500 "
        "ms. No schedule can hide all of that; 1.8 times the batch per device could, because weights and gradients do "
        "not grow with "
        "it. 50 % of the step is bound by mxu, at 90.0 % "
        "of its peak: these ops are near their roof.");
}

TEST_CASE("what bounds a step is not said where its work is not known") {
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 1)});
  add_op(p, Resource::kMatrix, 0.3, 0.4);
  add_op(p, Resource::kMatrix, 0.7, 0.2);
  p.ops[1].opcode = "custom-call";
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("Most is lost in op2"));
  p.ops[1].source = CostSource::kUnknown;
  p.unknown_share = 0.7;
  CHECK(verdict(p) ==
        "70 % of the step rests on work that is not known, such as that of op2: neither the step nor what bounds it is "
        "known.");
  p.unknown_share = 0.3;
  CHECK_THAT(verdict(p),
             Catch::Matchers::StartsWith(
                 "30 % of the step rests on work that is not known, such as that of op2. 100 % of the step"));
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("Most is lost in op1"));
  p.unknown_share = 0.05;
  CHECK(verdict(p).find("not known") == std::string::npos);
}

TEST_CASE("what follows from assumptions comes after them") {
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 1)});
  add_op(p, Resource::kMatrix, 0.1, 0.9);
  add_op(p, Resource::kMatrix, 0.9, 0.9);
  p.ops[1].source = CostSource::kAssumed;
  p.assumed_share = 0.9;
  CHECK(
      verdict(p) ==
      "90 % of the step is time that rests on assumptions, such as that of op2: the rest of this holds only with them. "
      "100 % of the step is bound by mxu, at 90.0 % of its peak: these ops are near their roof.");
  p.assumed_share = 0.4;
  CHECK(verdict(p).find("assumptions") == std::string::npos);
}

TEST_CASE("a batch that is hardly larger is one tenth larger") {
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 0.5), waits("wait (ici, data)", 0.5)});
  set_busy(p, Resource::kIci, 0.52);
  set_busy(p, Resource::kMatrix, 0.6);
  add_collective(p, "all-gather", "data", 0.5, AxisRole::kFsdp);
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("; 1.1 times the batch per device could"));
}

TEST_CASE("a larger batch is advised only where it does not also send more") {
  for (const AxisRole role : {AxisRole::kTensor, AxisRole::kUnknown}) {
    StepPrediction p = step_of({works("mxu", Resource::kMatrix, 0.5), waits("wait (ici, data)", 0.5)});
    set_busy(p, Resource::kIci, 0.9);
    set_busy(p, Resource::kMatrix, 0.6);
    add_collective(p, "all-reduce", "data", 0.5, role);
    const std::string text = verdict(p);
    CAPTURE(text);
    CHECK_THAT(text, Catch::Matchers::Contains("No schedule can hide all of that"));
    CHECK(text.find("times the batch") == std::string::npos);
    CHECK((text.find("so no batch hides it") != std::string::npos) == (role == AxisRole::kTensor));
  }
}

TEST_CASE("padding that takes a part of the step is said, with its seconds and the op") {
  for (const double padded : {1.0, 1.05, 1.6}) {
    StepPrediction p = step_of({works("hbm", Resource::kHbm, 1)});
    add_op(p, Resource::kHbm, 1, 0.9);
    p.ops[0].exposed_seconds = 1;
    Work work;
    work.logical_bytes = 100;
    work.padded_bytes = 100 * padded;
    p.ops[0].work = work;
    CAPTURE(padded, verdict(p));
    CHECK((verdict(p).find("38 % of the step, 375 ms, moves tile padding, most of it in op1: 1.60 times the bytes") !=
           std::string::npos) == (padded > 1.1));
  }
}

TEST_CASE("what loops only copy is said in place of the memory that bounds it") {
  StepPrediction p = step_of({works("hbm", Resource::kHbm, 0.9), works("vpu", Resource::kVector, 0.1)});
  add_op(p, Resource::kHbm, 0.9, 0.5);
  Diagnostic copies;
  copies.code = DiagnosticCode::kLoopCarryCopy;
  copies.seconds_at_stake = 0.8;
  p.diagnostics.push_back(copies);
  CHECK(verdict(p) ==
        "80 % of the step, 800 ms, copies arrays that a loop carries or reads and computes nothing with them: "
        "loop-carry-copy says how to avoid it.");
  p.diagnostics[0].seconds_at_stake = 0.2;
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("20 % of the step, 200 ms, copies arrays"));
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("90 % of the step is bound by hbm"));
  p.diagnostics[0].seconds_at_stake = 0.02;
  CHECK(verdict(p).find("copies arrays") == std::string::npos);
}

TEST_CASE("communication over several axes is said if it is a large part of the step together") {
  StepPrediction p = step_of(
      {works("mxu", Resource::kMatrix, 0.86), waits("wait (ici, axis_0)", 0.08), waits("wait (ici, axis_1)", 0.06)});
  add_collective(p, "all-gather", "axis_0", 0.08);
  add_collective(p, "all-reduce", "axis_1", 0.06);
  p.exposed_communication_seconds = 0.14;
  CHECK_THAT(verdict(p),
             Catch::Matchers::Contains("14 % of the step is communication that nothing hides, the largest part "
                                       "all-gather over axis_0. 86 % of the step is bound by mxu"));
}

TEST_CASE("products that other devices repeat are not called well used") {
  StepPrediction p = step_of({works("mxu", Resource::kMatrix, 1)});
  add_op(p, Resource::kMatrix, 1, 0.95);
  p.flops = 100;
  p.redundant_flops = 78;
  CHECK(verdict(p) ==
        "100 % of the step is bound by mxu, at 95.0 % of its peak, but 78.0 % of the FLOPs of each device repeat what "
        "other devices compute.");
}

TEST_CASE("work that takes a small part of a step that waits is not remarked on") {
  StepPrediction p = step_of({waits("wait (ici, data)", 0.95), works("overhead", Resource::kLatency, 0.05)});
  CHECK(verdict(p) == "95 % of the step waits for ici, data.");
  p = step_of({works("overhead", Resource::kLatency, 0.05)});  // but it is, if there is nothing else
  CHECK_THAT(verdict(p), Catch::Matchers::Contains("5 % of the step is overhead"));
}

TEST_CASE("what other orders can hide of a wait, and a fit that fails") {
  const struct {
    std::optional<double> hideable;
    const char* sentence;
  } cases[] = {
      {std::nullopt, ""},
      {0, ". No order of its ops hides it: nearly all of them come before its start or need its end"},
      {0.3, ". Other orders of its ops can hide at most 50 % of it"},
      {0.6, ". A schedule with more overlap may hide it"},
  };
  for (const auto& c : cases) {
    StepPrediction p = step_of({waits("wait (ici, data)", 0.6), works("hbm", Resource::kHbm, 0.4)});
    set_busy(p, Resource::kIci, 0.4);
    set_busy(p, Resource::kHbm, 0.3);
    add_collective(p, "all-gather", "data", 0.6);
    p.collectives.back().hideable_seconds = c.hideable;
    add_op(p, Resource::kHbm, 0.4, 0.5);
    p.memory.fits = false;
    p.memory.hbm_peak_bytes = 3.0 * (1 << 30);
    p.memory.usable_bytes = 1.0 * (1 << 30);
    CHECK(verdict(p) ==
          std::string("The program does NOT fit: it needs 2.00 GiB more memory. 60 % of the step waits for all-gather "
                      "over data: ici is busy for 400 ms, and the other ops take 400 ms") +
              c.sentence +
              ". 40 % of the step is bound by hbm, at 50.0 % of its peak. Most is lost in op1: 400 ms at 50.0 % of its "
              "roof.");
  }
}

TEST_CASE("small waits are not the verdict, overhead is") {
  StepPrediction p = step_of({works("latency", Resource::kLatency, 0.95), waits("wait (hbm)", 0.05)});
  add_op(p, Resource::kLatency, 0.95, 0);
  p.ops[0].executions = 10;
  CHECK(verdict(p) ==
        "95 % of the step is overhead: launches, latencies and pipeline fills. Fewer and larger ops would help.");
  p.ops[0].executions = 1;
  CHECK(verdict(p) == "95 % of the step is overhead: launches, latencies and pipeline fills.");
  CHECK(verdict(StepPrediction()).empty());
}

TEST_CASE("the bars of the breakdown add up to the step") {
  const StepPrediction p =
      step_of({works("mxu", Resource::kMatrix, 0.75), waits("wait (ici, data)", 0.24),
               works("vpu", Resource::kVector, 0.006), works("latency", Resource::kLatency, 0.004)});
  CHECK(breakdown_view(p, {}) ==
        "Where the step goes: what the compute stream works on, or waits for\n"
        "    share     time                                  what\n"
        "   75.0 %   750 ms  ##############################  mxu\n"
        "   24.0 %   240 ms  ##########                      wait (ici, data)\n"
        "    1.0 %  10.0 ms                                  [2 others]\n"
        "  100.0 %   1.00 s                                  the step\n");
}

}  // namespace
}  // namespace hloroof::internal
