// Kernels that a user wrote for a GPU are predicted from their bodies to within what is known of the model.
#include <map>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/time/op_time.h"
#include "lib/work/work.h"
#include "tests/accuracy/figures.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

constexpr double kFurthest = 1.75;
constexpr double kFurthestAssumed = 3;  // how much of a body runs depends on data

struct Predicted {
  double seconds = 0;
  bool is_assumed = false;
};

// The time of all kernels that a dump calls. The dumps are not optimized: what is around the calls does not count.
Predicted predict_kernels(const std::string& path, const Device& device) {
  const absl::StatusOr<Module> module = load_module(path);
  REQUIRE(module.ok());
  std::vector<InstructionId> calls;
  for (ComputationView computation : module->computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() == Opcode::kCustomCall) calls.push_back(instruction.id());
    }
  }
  Predicted predicted;
  for (const Work& work : compute_work(*module, calls)) {
    CHECK(work.programs > 0);
    predicted.seconds += op_time(work, device).seconds;
    predicted.is_assumed = predicted.is_assumed || work.source == CostSource::kAssumed;
  }
  return predicted;
}

TEST_CASE("Measured GPU kernels with bodies") {
  const std::string folder = source_path("tests/accuracy/gpu_kernels/");
  std::map<std::string, std::vector<Sample>> by_device;
  for (const auto& row : read_csv(folder + "measured.csv")) {
    INFO(row.at("hlo") << " " << row.at("operands"));
    const absl::StatusOr<Device> device = find_device(row.at("device"));
    REQUIRE(device.ok());
    const double measured = std::stod(row.at("median_ms")) * 1e-3;
    const Predicted predicted = predict_kernels(folder + row.at("hlo"), *device);
    const double furthest = predicted.is_assumed ? kFurthestAssumed : kFurthest;
    CHECK(predicted.is_assumed == (row.at("kernel") == "ragged_dot"));
    CHECK(predicted.seconds / measured > 1 / furthest);
    CHECK(predicted.seconds / measured < furthest);
    by_device[row.at("device")].push_back({row.at("kernel"), predicted.seconds, measured, 1, ""});
  }
  REQUIRE(by_device.size() == 2);
  for (const auto& [device, samples] : by_device) {
    INFO(device);
    REQUIRE(samples.size() >= 10);
    CHECK(figures(samples).median < 0.2);
  }
}

}  // namespace
}  // namespace hloroof::internal
