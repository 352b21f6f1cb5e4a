// Collectives of nccl-tests inside one machine (measured/gpu_aiconfigurator of the open data), against the numbers that
// are fitted to every second size of each series: those of A100, and of the setting nccl-tests. Skipped without the
// data.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/base/csv.h"
#include "lib/time/scale_up.h"
#include "tests/accuracy/figures.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// Seconds by bytes of one device, kind and number of devices.
using Series = std::map<std::tuple<std::string, std::string, std::int64_t>, std::map<double, double>>;

Series measured(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  const absl::StatusOr<CsvTable> table = parse_csv(text, path);
  REQUIRE(table.ok());
  Series series;
  for (const CsvTable::Row& row : table->rows) {
    std::map<std::string, std::string> field;
    for (std::size_t i = 0; i < table->columns.size(); ++i) field[table->columns[i]] = row.fields[i];
    if (field["dtype"] != "half") continue;
    series[{field["device"], field["collective"], std::stoll(field["gpus"])}][std::stod(field["bytes"])] =
        std::stod(field["time_us"]) * 1e-6;
  }
  return series;
}

const std::map<std::string, CollectiveKind> kKinds = {{"all_gather", CollectiveKind::kAllGather},
                                                      {"reduce_scatter", CollectiveKind::kReduceScatter},
                                                      {"all_reduce", CollectiveKind::kAllReduce},
                                                      {"alltoall", CollectiveKind::kAllToAll}};

// The rows that are held back, from `least` bytes on.
std::vector<Sample> held_back(const Series& all, const std::string& measured_on, const Device& device, double least) {
  std::vector<Sample> samples;
  for (const auto& [key, sizes] : all) {
    const auto& [name, kind, devices] = key;
    if (name != measured_on) continue;
    std::size_t i = 0;
    for (const auto& [bytes, seconds] : sizes) {
      const bool is_fitted = i++ % 2 == sizes.size() % 2;  // the largest size is held back
      if (is_fitted || bytes < least) continue;
      const ScaleUpCost<double> cost = scale_up_cost(device, kKinds.at(kind), bytes, devices, 1);
      samples.push_back({kind, cost.seconds + cost.latency_seconds, seconds, 1, ""});
    }
  }
  return samples;
}

TEST_CASE("Measured collectives of nccl-tests") {
  const std::string path = shared_path("measured/gpu_aiconfigurator/nccl.csv");
  if (!std::ifstream(path)) HLOROOF_SKIP("no measured collectives at " + path);
  const Series all = measured(path);
  const auto figures_of = [&](const std::string& measured_on, const std::string& name, double least) {
    const Figures f = figures(held_back(all, measured_on, find_device(name).value(), least));
    std::printf("%-22s from %8.0f B %4zu rows  bias %7s  median %7s  p90 %7s\n", name.c_str(), least, f.count,
                percent(f.bias).c_str(), percent(f.median).c_str(), percent(f.p90).c_str());
    return f;
  };
  for (const std::string device : {"h100_sxm", "h200_sxm", "b200_sxm", "b300_sxm"}) {
    CAPTURE(device);
    const Figures own = figures_of(device, device + "@nccl-tests", 0);
    CHECK(own.median < 0.06);
    CHECK(own.p90 < 0.25);
    CHECK(own.median < figures_of(device, device, 0).median / 2);
  }
  // The launches and steps of A100 are those of XLA's table on H100, so only large ones are compared.
  const Figures a100 = figures_of("a100_sxm_80", "a100_sxm_80", 0x1p26);
  CHECK(a100.median < 0.05);
  CHECK(a100.p90 < 0.1);
}

}  // namespace
}  // namespace hloroof::internal
