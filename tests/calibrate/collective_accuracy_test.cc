// Compares the shipped rates of GPU collectives with XLA's measured table. They must be the fit of one half of the
// table, and the test bounds their error on the other half.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "hloroof/device.h"
#include "lib/time/scale_up.h"
#include "tests/calibrate/collective_fit.h"
#include "tests/calibrate/collective_table.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kTable = shared_path("measured/xla_gpu_collective_perf.csv");

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

// Relative errors of predictions.
std::vector<double> errors(const std::vector<PredictedRow>& rows) {
  std::vector<double> result;
  for (const PredictedRow& row : rows) {
    CHECK(row.is_complete);
    result.push_back(std::abs(row.seconds() / row.measured.seconds - 1));
  }
  return result;
}

// A term that the measurements do not show is none.
bool same(const Fact<double>& a, const Fact<double>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || *a == Approx(*b).epsilon(0.01).margin(1e-15);
}

TEST_CASE("Rates in the device files are the fit of half the table") {
  if (!std::ifstream(kTable)) HLOROOF_SKIP("no measurements at " + kTable);
  const CollectiveTable table = read_collective_table(kTable);
  REQUIRE(table.fitted.size() == 25);
  for (const auto& [key, name] : table_devices()) {
    absl::StatusOr<Device> device = find_device(name);
    REQUIRE(device.ok());
    for (const auto& [of, rows] : table.fitted) {
      if (of.first != key) continue;
      INFO(name << " " << to_string(of.second));
      if (of.second == CollectiveKind::kCollectivePermute) {
        const SendRates fitted = fit_send_rates(rows, *device);
        const SendRates& shipped = device->scale_up.permute;
        CHECK(same(shipped.launch, fitted.launch));
        CHECK(same(shipped.efficiency, fitted.efficiency));
        CHECK(same(shipped.channel_bandwidth, fitted.channel_bandwidth));
        CHECK(same(shipped.shared_channel_bandwidth, fitted.shared_channel_bandwidth));
        CHECK(same(shipped.low_latency_bandwidth, fitted.low_latency_bandwidth));
        continue;
      }
      const CollectiveRates& shipped = rates_of(*device, of.second);
      const CollectiveRates fitted = fit_collective_rates(rows, *device);
      CHECK(same(shipped.launch, fitted.launch));
      CHECK(same(shipped.step, fitted.step));
      CHECK(same(shipped.fill, fitted.fill));
      CHECK(same(shipped.efficiency, fitted.efficiency));
      CHECK(same(shipped.peer_efficiency, fitted.peer_efficiency));
      CHECK(same(shipped.square, fitted.square));
    }
  }
}

TEST_CASE("Rows not used to fit") {
  if (!std::ifstream(kTable)) HLOROOF_SKIP("no measurements at " + kTable);
  const CollectiveTable table = read_collective_table(kTable);
  std::vector<double> large;
  std::vector<double> small;
  std::printf("%-10s %-20s %5s %8s %8s   %5s %8s\n", "device", "collective", ">=1Mi", "median", "p90", "<1Mi",
              "median");
  for (const auto& [key, name] : table_devices()) REQUIRE(find_device(name).ok());
  for (const PredictedSeries& series : predict_held_back(table)) {
    const std::vector<double> of_large = errors(series.large);
    const std::vector<double> of_small = errors(series.small);
    std::printf("%-10s %-20s %5zu %7.1f%% %7.1f%%   %5zu %7.1f%%\n", series.device.c_str(),
                std::string(to_string(series.kind)).c_str(), of_large.size(), 100 * quantile(of_large, 0.5),
                100 * quantile(of_large, 0.9), of_small.size(), 100 * quantile(of_small, 0.5));
    large.insert(large.end(), of_large.begin(), of_large.end());
    small.insert(small.end(), of_small.begin(), of_small.end());
  }
  std::printf("%-31s %5zu %7.1f%% %7.1f%%   %5zu %7.1f%%\n", "all", large.size(), 100 * quantile(large, 0.5),
              100 * quantile(large, 0.9), small.size(), 100 * quantile(small, 0.5));
  CHECK(quantile(large, 0.5) <= 0.08);
  CHECK(quantile(large, 0.9) <= 0.25);
  CHECK(quantile(small, 0.5) <= 0.20);
}

}  // namespace
}  // namespace hloroof::internal
