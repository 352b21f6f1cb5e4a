// The conditions of --fail-if and of hloroof.jax.watch: what they mean, and where a malformed one is wrong.
#include "lib/versions/gate.h"

#include <optional>
#include <string>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

using Catch::Detail::Approx;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("gates: the kind of the condition and its limit") {
  using enum Gate::Kind;
  const struct {
    const char* text;
    Gate::Kind kind;
    bool above;
    bool or_equal;
    double limit;
  } rows[] = {
      {"step>5ms", kValue, true, false, 5e-3},          {" step  >  20 ms ", kValue, true, false, 20e-3},
      {"exposed>=1us", kValue, true, true, 1e-6},       {"memory>16GiB", kValue, true, false, 0x1p34},
      {"memory>2TiB", kValue, true, false, 0x1p41},     {"hbm<2TB", kValue, false, false, 2e12},
      {"wire>3kB", kValue, true, false, 3e3},           {"flops>1e12", kValue, true, false, 1e12},
      {"flops>1.5Tflop", kValue, true, false, 1.5e12},  {"mfu<40%", kValue, false, false, 0.4},
      {"mfu<1e1%", kValue, false, false, 0.1},          {"mfu<-5%", kRelativeChange, false, false, -0.05},
      {"step>+2%", kRelativeChange, true, false, 0.02}, {"step>2%", kRelativeChange, true, false, 0.02},
      {"step>+1ms", kChange, true, false, 1e-3},        {"memory<-1GiB", kChange, false, false, -0x1p30},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const absl::StatusOr<Gate> gate = parse_gate(row.text);
    REQUIRE(gate.ok());
    CHECK(gate->kind == row.kind);
    CHECK(gate->above == row.above);
    CHECK(gate->or_equal == row.or_equal);
    CHECK(gate->limit == Approx(row.limit));
    CHECK(parse_limit(row.text).ok() == (row.kind == kValue));
  }
}

TEST_CASE("gates: a malformed condition says where it is wrong and what is expected there") {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"", "'', character 1: expected one of step, exposed, memory, flops, hbm, wire, mfu, found the end"},
      {"speed>2", "character 1: expected one of step, exposed, memory, flops, hbm, wire, mfu, found 'speed>2'"},
      {"step", "character 5: expected > or <, found the end"},
      {"step==5ms", "character 1: expected one of step"},
      {"step =5ms", "character 6: expected > or <, found '=5ms'"},
      {"step>", "character 6: expected a number, found the end"},
      {"step>fast", "character 6: expected a number, found 'fast'"},
      {"step>1e999s", "character 6: expected a number"},
      {"step>infs", "character 6: expected a number"},
      {"step>5", "character 7: expected a unit of time (s, ms, us, ns) or %, found the end"},
      {"step>5GiB", "character 7: expected a unit of time (s, ms, us, ns) or %, found 'GiB'"},
      {"memory>5ms", "character 9: expected a unit of bytes (B, KiB, MiB, GiB, TiB, kB, MB, GB, TB) or %, found 'ms'"},
      {"memory > 5", "character 11: expected a unit of bytes"},
      {"flops>5GB", "character 8: expected no unit or one of operations (Gflop, Tflop, Pflop) or %, found 'GB'"},
      {"mfu<0.4", "character 8: expected %, found the end"},
      {"mfu<4s", "character 6: expected %, found 's'"},
      {"step>5 % more", "character 8: expected a unit of time (s, ms, us, ns) or %, found '% more'"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const absl::StatusOr<Gate> gate = parse_gate(row.text);
    REQUIRE(gate.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(gate.status().message()), ContainsSubstring(row.message));
    CHECK_THAT(std::string(gate.status().message()), ContainsSubstring("'step>+2%' is a relative change"));
  }
  CHECK_THAT(std::string(parse_limit("step>+2%").status().message()), ContainsSubstring("'step>+2%' is a change"));
}

TEST_CASE("gates: the MFU, which may be unknown, and limits of one prediction") {
  StepPrediction before;
  StepPrediction after;
  before.mfu = 0.5;
  const struct {
    const char* text;
    std::optional<double> mfu;
    bool failed;
    const char* finding;
  } rows[] = {
      {"mfu<40%", 0.35, true, "mfu 35.0 %, allowed 40.0 % (5.0 % below)"},
      {"mfu<40%", 0.45, false, "mfu 45.0 %, allowed 40.0 % (5.0 % above)"},
      {"mfu<40%", std::nullopt, true, "mfu 0 %, allowed 40.0 % (40.0 % below)"},
      {"mfu<-5%", 0.4, true, "mfu 50.0 % -> 40.0 %: -20 %, allowed -5 % (7.5 % below)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    after.mfu = row.mfu;
    const GateResult result = check_gate(*parse_gate(row.text), before, after);
    CHECK(result.failed == row.failed);
    CHECK(result.finding == row.finding);
  }
  after.step_seconds = 5e-3;
  after.memory.hbm_peak_bytes = 50;
  after.memory.peak_bytes = 150;  // with what is in host memory
  CHECK(check_limit(*parse_limit("step>4ms"), after).failed);
  CHECK_FALSE(check_limit(*parse_limit("step>5ms"), after).failed);
  CHECK(check_limit(*parse_limit("step>=5ms"), after).failed);
  CHECK_FALSE(check_limit(*parse_limit("memory>100B"), after).failed);
  CHECK(check_limit(*parse_limit("step>4ms"), after).finding == "step 5.00 ms, allowed 4.00 ms (1.00 ms above)");
}

}  // namespace
}  // namespace hloroof::internal
