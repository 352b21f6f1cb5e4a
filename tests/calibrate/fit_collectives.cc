// Prints the rates of each device of XLA's measured table, fitted to half of it, as they stand in data/hardware:
//   fit_collectives TABLE.csv
#include <cstdio>
#include <string>

#include "hloroof/device.h"
#include "lib/calibrate/collective_fit.h"
#include "tests/calibrate/collective_table.h"

namespace hloroof {
namespace {

void print(const char* name, const char* unit, std::optional<double> value, bool last) {
  std::printf(
      "      \"%s\": {\"value\": %.4g, \"unit\": \"%s\", \"kind\": \"fitted\", \"source\": \"XLA-TABLE-FIT\"}%s\n",
      name, *value, unit, last ? "" : ",");
}

void print(CollectiveKind kind, const CollectiveRates& rates, bool last) {
  std::string key(collective_name(kind));
  for (char& c : key) {
    if (c == '-') c = '_';
  }
  std::printf("    \"%s\": {\n", key.c_str());
  print("launch", "s", rates.launch, false);
  print("step", "s", rates.step, false);
  print("fill", "s/B^0.5", rates.fill, !rates.efficiency && !rates.peer_efficiency);
  if (rates.efficiency) print("efficiency", "1", rates.efficiency, !rates.peer_efficiency);
  if (rates.peer_efficiency) print("peer_efficiency", "1", rates.peer_efficiency, true);
  std::printf("    }%s\n", last ? "" : ",");
}

void print(const SendRates& rates) {
  std::printf("    \"permute\": {\n");
  const struct {
    const char* name;
    const char* unit;
    std::optional<double> value;
  } fields[] = {{"efficiency", "1", rates.efficiency},
                {"channel_bandwidth", "B/s", rates.channel_bandwidth},
                {"shared_channel_bandwidth", "B/s", rates.shared_channel_bandwidth},
                {"low_latency_bandwidth", "B/s", rates.low_latency_bandwidth}};
  for (const auto& [name, unit, value] : fields) {
    if (value) print(name, unit, value, false);
  }
  print("launch", "s", rates.launch, true);
  std::printf("    }\n");
}

}  // namespace
}  // namespace hloroof

int main(int argc, char** argv) {
  using namespace hloroof;  // NOLINT
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
      print(kind, fit_collective_rates(rows->second, device->scale_up.bandwidth.value_or(0)), false);
    }
    const auto rows = table.fitted.find({key, CollectiveKind::kCollectivePermute});
    if (rows != table.fitted.end()) print(fit_send_rates(rows->second, *device));
  }
}
