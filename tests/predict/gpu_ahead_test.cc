// Programs that XLA compiled for GPUs ahead of time, on a machine without one: what is in their texts is priced, and
// what they exchange and repeat is found. tests/predict/dumps/README.md has the programs.
#include <algorithm>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "tests/catch.h"
#include "tests/dump.h"

namespace hloroof::internal {
namespace {

StepPrediction predicted(const std::string& name, const std::string& device) {
  auto prediction = predict_step_time(source_text("tests/predict/dumps/" + name + ".hlo"), device);
  INFO(std::string(prediction.status().message()));
  REQUIRE(prediction.ok());
  return *std::move(prediction);
}

bool has(const StepPrediction& p, DiagnosticCode code) {
  return std::any_of(p.diagnostics.begin(), p.diagnostics.end(),
                     [code](const Diagnostic& d) { return d.code == code; });
}

const OpPrediction& longest(const StepPrediction& p) {
  const auto found = std::max_element(p.ops.begin(), p.ops.end(), [](const OpPrediction& a, const OpPrediction& b) {
    return a.total_seconds < b.total_seconds;
  });
  REQUIRE(found != p.ops.end());
  return *found;
}

TEST_CASE("the work of programs compiled ahead of time is that of their products, and nothing is unknown") {
  struct Row {
    const char* name;
    double flops;                          // of the products of one device
    std::vector<std::string> collectives;  // in the order of the program
    int devices;
    bool untuned;
  };
  const double ffn = 2.0 * 2 * 16384 * 8192 * 32768;
  const Row rows[] = {
      {"ffn_fsdp.h100_sxm_8", ffn / 8, {"all-gather", "all-gather"}, 8, true},
      // Gradients of two weights, and the hidden array again: five products of one size.
      {"data_parallel.h100_sxm_8", 5 * 2.0 * 2048 * 8192 * 8192, {"all-reduce", "all-reduce"}, 8, true},
      // The choice of experts, the products with the mask of choices there and back, and those of one expert.
      {"experts.h100_sxm_8",
       2.0 * 2048 * 2048 * 8 + 2 * 2.0 * 2048 * 2560 * 2048 + 2 * 2.0 * 2560 * 2048 * 8192,
       {"all-to-all", "all-to-all"},
       8,
       true},
      // The first product is whole on each device, the second is shared by all.
      {"whole_product.h100_sxm_8", ffn / 2 + ffn / 2 / 8, {"all-gather", "all-gather", "all-reduce"}, 8, true},
      {"fp8_product.h100_sxm", 2.0 * 8192 * 8192 * 8192, {}, 1, false},
      // Two products of queries and keys forward and five backward, each half masked.
      {"attention_gradient.h100_sxm", 7 * 2.0 * 4 * 32 * 4096 * 4096 * 128 / 2, {}, 1, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const StepPrediction p = predicted(row.name, row.devices > 1 ? "h100_sxm:8" : "h100_sxm");
    CHECK(p.origin.backend == Backend::kGpu);
    CHECK(p.origin.stage == CompileStage::kOptimized);
    CHECK(p.flops == Approx(row.flops).epsilon(0.01));
    CHECK(p.assumed_share < 0.1);  // rates that nobody measured on the device
    CHECK(p.unknown_share == 0);
    CHECK(has(p, DiagnosticCode::kUntunedBlocks) == row.untuned);
    std::vector<std::string> kinds;
    for (const CollectivePrediction& collective : p.collectives) kinds.push_back(collective.kind);
    CHECK(kinds == row.collectives);
    CHECK(p.step_seconds > row.flops / 2e15);  // no product is faster than the peak of the fastest type
  }
}

TEST_CASE("a product in f8 takes the peak of f8, and attention the rate of its kernels") {
  const StepPrediction f8 = predicted("fp8_product.h100_sxm", "h100_sxm");
  const OpPrediction& product = longest(f8);
  REQUIRE(product.work->matrix.size() == 1);
  CHECK(product.work->matrix[0].lhs == ElementType::kF8e4m3fn);
  CHECK(product.total_seconds < product.work->matrix[0].flops / 9.894e14);  // faster than bf16 ever is
  const StepPrediction attention = predicted("attention_gradient.h100_sxm", "h100_sxm");
  const OpPrediction& gradient = longest(attention);
  REQUIRE_FALSE(gradient.work->matrix.empty());
  CHECK(gradient.work->matrix[0].is_attention);
  CHECK(gradient.work->matrix[0].is_gradient);
}

TEST_CASE("what each device of a GPU program repeats, and what its axes are for") {
  const StepPrediction whole = predicted("whole_product.h100_sxm_8", "h100_sxm:8");
  CHECK(has(whole, DiagnosticCode::kRedundantCompute));
  CHECK(whole.redundant_flops == Approx(7.0 / 8 * 2.0 * 16384 * 8192 * 32768).epsilon(0.01));
  const StepPrediction fsdp = predicted("ffn_fsdp.h100_sxm_8", "h100_sxm:8");
  REQUIRE(fsdp.mesh.size() == 1);
  CHECK(fsdp.mesh[0].roles == std::vector<std::string>{"FSDP"});
  const StepPrediction data = predicted("data_parallel.h100_sxm_8", "h100_sxm:8");
  REQUIRE(data.mesh.size() == 1);
  CHECK(data.mesh[0].roles == std::vector<std::string>{"data"});
  // The long K of the product that chooses experts is split into a batch of products, whose results are added up.
  const StepPrediction experts = predicted("experts.h100_sxm_8", "h100_sxm:8");
  REQUIRE(experts.mesh.size() == 1);
  CHECK(experts.mesh[0].roles == std::vector<std::string>{"expert"});
}

}  // namespace
}  // namespace hloroof::internal
