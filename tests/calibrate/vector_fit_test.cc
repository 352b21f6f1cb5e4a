// Checks that the shipped weights of the vector units agree with the compiler probes, apart from those that are fitted
// to final code (accuracy_grid_test). The probes are the compiler's own estimates, which charge an operation about
// twice the slots that its code takes; the weights are in units of an addition.
#include <cmath>
#include <fstream>

#include "hloroof/device.h"
#include "tests/calibrate/vector_probes.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

TEST_CASE("Shipped vector weights are those of the probes on v5e, and hold on other devices") {
  const std::string table = shared_path("measured/tpu_compiler_cycles.csv");
  if (!std::ifstream(table)) HLOROOF_SKIP("no measurements at " + table);
  const VectorProbes probes = read_vector_probes(table);
  const auto device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  CHECK(probes.efficiency < 0.6 * device->tpu()->vector.efficiency);
  int probed = 0;
  for (const OpWeight& weight : device->vector.weights) {
    if (weight.source.kind != Provenance::kFitted || weight.source.source.find("final code") != std::string::npos)
      continue;
    INFO(weight.op);
    const auto at = probes.weights.find(weight.op);
    REQUIRE(at != probes.weights.end());
    CHECK(weight.vector_ops >= 0.98 * at->second.least);
    CHECK(weight.vector_ops <= 1.04 * at->second.most);  // allows for rounding
    ++probed;
  }
  CHECK(probed == 3);
  REQUIRE(probes.held_back.size() >= 10);
  for (const VectorProbes::HeldBack& row : probes.held_back) {
    INFO(row.op << " " << row.device);
    CHECK(row.predicted == Approx(row.cycles).epsilon(0.05));
  }
}

}  // namespace
}  // namespace hloroof::internal
