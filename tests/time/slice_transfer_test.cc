// Times of transfers between slices against the closed forms.
#include "lib/time/slice_transfer.h"

#include <cmath>
#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A network of 1 GB/s, steps of 10 us, 100 us for each transfer; hosts that reduce at 100 GB/s.
Device slow_network() {
  absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  const std::vector<std::pair<std::string, double>> numbers = {
      {"network.bandwidth", 1e9}, {"network.efficiency", 1.0},           {"network.latency", 1e-5},
      {"network.launch", 1e-4},   {"network.reduction_bandwidth", 1e11}, {"network.skew", 0.0},
  };
  for (const auto& [path, value] : numbers) REQUIRE(set_parameter(*device, path, value).ok());
  return *device;
}

struct Row {
  CollectiveKind kind;
  std::int64_t slices;
  double sent;  // of 1 MB
  double steps;
  double reduced;  // read and written
};

TEST_CASE("bytes, steps and seconds of each kind of transfer") {
  const Row rows[] = {
      {CollectiveKind::kAllReduce, 2, 1e6, 2, 1.5e6},
      {CollectiveKind::kAllReduce, 4, 1.5e6, 6, 2.25e6},
      {CollectiveKind::kReduceScatter, 2, 0.5e6, 1, 1.5e6},
      {CollectiveKind::kReduceScatter, 4, 0.75e6, 3, 2.25e6},
      {CollectiveKind::kAllGather, 2, 0.5e6, 1, 0},
      {CollectiveKind::kAllGather, 4, 0.75e6, 3, 0},
      {CollectiveKind::kAllToAll, 4, 0.75e6, 1, 0},
      {CollectiveKind::kCollectivePermute, 4, 1e6, 1, 0},
      {CollectiveKind::kAllReduce, 1, 0, 0, 0},
  };
  const Device device = slow_network();
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.kind), row.slices);
    MissingNumbers missing;
    const SliceTransferCost<double> cost = slice_transfer_cost(device, row.kind, 1e6, row.slices, &missing);
    CHECK(missing.empty());
    CHECK(cost.wire_bytes == Approx(row.sent));
    CHECK(cost.steps == row.steps);
    CHECK(cost.reduction_bytes == Approx(row.reduced));
    CHECK(cost.network_seconds == Approx(row.sent / 1e9));
    CHECK(cost.bandwidth_seconds() == Approx(row.sent / 1e9));
    CHECK(cost.latency_seconds == Approx(row.slices > 1 ? 1e-4 + row.steps * 1e-5 : 0));
  }
}

TEST_CASE("the slowest stage of the hosts decides") {
  Device device = slow_network();
  REQUIRE(set_parameter(device, "network.reduction_bandwidth", 1e8).ok());
  const SliceTransferCost<double> cost = slice_transfer_cost(device, CollectiveKind::kAllReduce, 1e6, 2, nullptr);
  CHECK(cost.bandwidth_seconds() == Approx(1.5e6 / 1e8));
}

// With more slices a transfer of the same bytes takes longer: more of them leave the slice, in more steps, and the last
// of more slices arrives later.
TEST_CASE("a transfer grows with the number of slices") {
  Device device = slow_network();
  REQUIRE(set_parameter(device, "network.skew", 1e-4).ok());
  double before = 0;
  for (const std::int64_t slices : {2, 4, 8, 16}) {
    const SliceTransferCost<double> cost =
        slice_transfer_cost(device, CollectiveKind::kAllReduce, 1e6, slices, nullptr);
    const double n = static_cast<double>(slices);
    const double expected = 2 * (n - 1) / n * 1e-3 + 1e-4 + 2 * (n - 1) * 1e-5 + std::sqrt(2 * std::log(n)) * 1e-4;
    CHECK(cost.bandwidth_seconds() + cost.latency_seconds == Approx(expected));
    CHECK(expected > before);
    before = expected;
  }
}

TEST_CASE("a number that the device file lacks is noted") {
  const absl::StatusOr<Device> device = find_device("tpu_v5e");
  REQUIRE(device.ok());
  MissingNumbers missing;
  slice_transfer_cost(*device, CollectiveKind::kAllReduce, 1e6, 2, &missing);
  CHECK(missing.slots().size() == 1);  // network.efficiency, which nobody measured
}

}  // namespace
}  // namespace hloroof::internal
