// Prints the shipped and the fitted rates of each device of XLA's measured table in SI units. The fit uses half of the
// table; collective_accuracy_test prints the error on the other half:
//   fit_collectives TABLE.csv
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "hloroof/device.h"
#include "lib/calibrate/collective_fit.h"
#include "tests/calibrate/collective_table.h"

namespace hloroof::internal {
namespace {

void print(const char* rates, const char* name, const Fact<double>& shipped, const Fact<double>& found) {
  if (!shipped && !found) return;
  const std::string path = std::string("scale_up.") + rates + "." + name;
  std::printf("  %-42s %10.4g -> %.4g\n", path.c_str(), shipped ? *shipped : NAN, found ? *found : NAN);
}

void print(CollectiveKind kind, const CollectiveRates& shipped, const CollectiveRates& found) {
  std::string rates(to_string(kind));
  std::replace(rates.begin(), rates.end(), '-', '_');
  print(rates.c_str(), "launch", shipped.launch, found.launch);
  print(rates.c_str(), "step", shipped.step, found.step);
  print(rates.c_str(), "fill", shipped.fill, found.fill);
  print(rates.c_str(), "efficiency", shipped.efficiency, found.efficiency);
  print(rates.c_str(), "peer_efficiency", shipped.peer_efficiency, found.peer_efficiency);
}

void print(const SendRates& shipped, const SendRates& found) {
  print("permute", "launch", shipped.launch, found.launch);
  print("permute", "efficiency", shipped.efficiency, found.efficiency);
  print("permute", "channel_bandwidth", shipped.channel_bandwidth, found.channel_bandwidth);
  print("permute", "shared_channel_bandwidth", shipped.shared_channel_bandwidth, found.shared_channel_bandwidth);
  print("permute", "low_latency_bandwidth", shipped.low_latency_bandwidth, found.low_latency_bandwidth);
}

}  // namespace
}  // namespace hloroof::internal

int main(int argc, char** argv) {
  using namespace hloroof;            // NOLINT
  using namespace hloroof::internal;  // NOLINT
  if (argc != 2) {
    std::fprintf(stderr, "usage: fit_collectives TABLE.csv\n");
    return 1;
  }
  const CollectiveTable table = read_collective_table(argv[1]);
  for (const auto& [key, name] : table_devices()) {
    absl::StatusOr<Device> device = find_device(name);
    if (!device.ok()) return 1;
    std::printf("%s\n", name.c_str());
    for (const CollectiveKind kind : {CollectiveKind::kAllGather, CollectiveKind::kReduceScatter,
                                      CollectiveKind::kAllReduce, CollectiveKind::kAllToAll}) {
      const auto rows = table.fitted.find({key, kind});
      if (rows == table.fitted.end()) continue;
      print(kind, rates_of(*device, kind), fit_collective_rates(rows->second, *device->scale_up.bandwidth));
    }
    const auto rows = table.fitted.find({key, CollectiveKind::kCollectivePermute});
    if (rows != table.fitted.end()) print(device->scale_up.permute, fit_send_rates(rows->second, *device));
  }
}
