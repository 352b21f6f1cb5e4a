// Measured kernels are predicted to within what is known of the model: no row is lost to a wrong reading of its dump.
#include "tests/accuracy/measured_kernels.h"

#include <map>

#include "tests/accuracy/figures.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr double kFurthest = 1.6;  // the least programs take 4 us, to the nearest one

TEST_CASE("Measured kernels") {
  const auto kernels = measured_kernels();
  REQUIRE(kernels.ok());
  REQUIRE(kernels->size() >= 60);
  std::map<std::string, std::vector<Sample>> by_device;
  for (const MeasuredKernel& k : *kernels) {
    INFO(k.device << " " << k.kernel << " " << k.shapes << ": " << k.longest);
    CHECK(k.predicted / k.measured > 1 / kFurthest);
    CHECK(k.predicted / k.measured < kFurthest);
    by_device[k.device].push_back({k.kernel, k.predicted, k.measured, 1, ""});
  }
  REQUIRE(by_device.size() == 5);
  for (const auto& [device, samples] : by_device) {
    INFO(device);
    CHECK(figures(samples).median < 0.1);
  }
}

}  // namespace
}  // namespace hloroof::internal
