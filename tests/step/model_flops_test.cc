// HFU counts what a device computes, MFU what the model needs.
#include "lib/step/model_flops.h"

#include <string>

#include "hloroof/predict.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kProduct = 2.0 * 1024 * 1024 * 1024;

std::string module_of(const std::string& header, const std::string& sharding, const std::string& op_name) {
  const std::string array = "bf16[1024,1024]{1,0:T(8,128)(2,1)}";
  const std::string dot = array + " dot(";
  const std::string dims = "), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  return "HloModule m, is_scheduled=true" + header + "\n\nENTRY e {\n  a = " + array + " parameter(0)" + sharding +
         "\n  b = " + array + " parameter(1), sharding={replicated}\n  first = " + dot + "a, b" + dims +
         "\n  second = " + dot + "first, b" + dims + ", metadata={op_name=\"" + op_name + "\"}\n  ROOT all = " +
         "bf16[4096,1024]{1,0:T(8,128)(2,1)} all-gather(second), channel_id=1, replica_groups=[1,4]<=[4], "
         "dimensions={0}, use_global_device_ids=true\n}\n";
}

StepPrediction predicted(const std::string& text, const PredictOptions& options = {}) {
  absl::StatusOr<StepPrediction> step = predict_step_time(text, "tpu_v5e", options);
  INFO(step.status());
  REQUIRE(step.ok());
  return *std::move(step);
}

TEST_CASE("FLOPs that the model does not ask for") {
  const std::string sharded = ", sharding={devices=[4,1]<=[4]}";
  const std::string same = ", sharding={replicated}";
  const std::string forward = "jit(f)/jvp(f)/dot_general";
  const std::string again = "jit(f)/transpose(jvp(f))/checkpoint/rematted_computation/mlp/dot_general";
  const struct {
    const char* name;
    std::string sharding, op_name;
    double recomputed, redundant;
  } cases[] = {
      {"none", sharded, forward, 0, 0},
      {"recomputed", sharded, again, kProduct, 0},
      {"the same on four devices", same, forward, 0, 2 * kProduct * 3 / 4},
      {"both: recomputed FLOPs are not redundant as well", same, again, kProduct, kProduct * 3 / 4},
      {"a sharding that the text does not state", "", forward, 0, 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const StepPrediction step = predicted(module_of(", num_partitions=4", c.sharding, c.op_name));
    CHECK(step.recomputed_flops == c.recomputed);
    CHECK(step.redundant_flops == c.redundant);
    REQUIRE(step.hfu);
    REQUIRE(step.mfu);
    CHECK(*step.mfu == Approx(*step.hfu * (1 - (c.recomputed + c.redundant) / step.flops)));
  }
}

TEST_CASE("the FLOPs that the user states are those of all devices") {
  PredictOptions options;
  options.model_flops = 4 * kProduct;
  const StepPrediction step = predicted(module_of(", num_partitions=4", ", sharding={replicated}", ""), options);
  CHECK(*step.mfu == Approx(*step.hfu * kProduct / step.flops));
}

TEST_CASE("a device that computes what no other computes is told nothing") {
  const auto has_finding = [](const StepPrediction& step) {
    for (const Diagnostic& finding : step.diagnostics) {
      if (finding.code == DiagnosticCode::kRedundantCompute) return true;
    }
    return false;
  };
  CHECK(has_finding(predicted(module_of(", num_partitions=4", ", sharding={replicated}", ""))));
  CHECK_FALSE(has_finding(predicted(module_of(", num_partitions=4", ", sharding={devices=[4,1]<=[4]}", ""))));
  CHECK_FALSE(has_finding(predicted(module_of(", num_partitions=4", "", ""))));
}

}  // namespace
}  // namespace hloroof::internal
