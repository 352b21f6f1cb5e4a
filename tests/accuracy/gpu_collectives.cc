#include <cstddef>
#include <string>
#include <vector>

#include "tests/accuracy/sections.h"
#include "tests/calibrate/collective_table.h"

namespace hloroof::internal {
namespace {

std::string described(const std::string& device, const CollectiveMeasurement& m) {
  return device + " " + std::string(to_string(m.kind)) + " of " + std::to_string(static_cast<long>(m.bytes / 1024)) +
         " KiB among " + std::to_string(m.devices);
}

}  // namespace

void report_gpu_collectives(const std::string& shared, Report& report) {
  const CollectiveTable table = read_collective_table(shared + "/measured/xla_gpu_collective_perf.csv");
  if (table.held_back.empty()) return;
  report.heading("Measured collectives, GPUs");
  report.paragraph(
      "XLA's own table, groups inside one NVLink or xGMI domain. Constants are fitted to every second size of each "
      "series; the figures are of the other sizes. Below 1 MiB, and for all-to-alls of H100 of a few MiB, the table is "
      "noisy: twice the bytes often take half the time.");
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> all_large;
  std::vector<Sample> all_small;
  const auto add_row = [&](const std::string& device, const std::string& kind, const std::vector<Sample>& large,
                           const std::vector<Sample>& small) {
    const Figures l = figures(large);
    const Figures s = figures(small);
    rows.push_back({device, kind, "held back", std::to_string(l.count), percent(l.bias), percent(l.median),
                    percent(l.p90), std::to_string(s.count), percent(s.median)});
  };
  const auto samples = [](const PredictedSeries& series, const std::vector<PredictedRow>& of) {
    std::vector<Sample> result;
    result.reserve(of.size());
    for (const PredictedRow& row : of) {
      result.push_back({described(series.device, row.measured), row.seconds(), row.measured.seconds, 1,
                        "latency " + microseconds(row.cost.latency_seconds)});
    }
    return result;
  };
  for (const PredictedSeries& series : predict_held_back(table)) {
    const std::vector<Sample> large = samples(series, series.large);
    const std::vector<Sample> small = samples(series, series.small);
    add_row(series.device, std::string(to_string(series.kind)), large, small);
    report.measured(series.device, Measured::kCollectives, large);
    report.measured(series.device, Measured::kCollectives, small);
    all_large.insert(all_large.end(), large.begin(), large.end());
    all_small.insert(all_small.end(), small.begin(), small.end());
  }
  add_row("all", "all", all_large, all_small);
  report.table({"device", "collective", "rows", "from 1 MiB", "bias", "median", "p90", "below 1 MiB", "median"}, rows);
  report.figure("gpu_collective.large.median", figures(all_large).median);
  report.figure("gpu_collective.large.p90", figures(all_large).p90);
  report.figure("gpu_collective.small.median", figures(all_small).median);
  report.worst(all_large);
  report.held_back("collectives from 1 MiB, five GPUs", all_large);
  report.held_back("collectives below 1 MiB, five GPUs", all_small);
}

}  // namespace hloroof::internal
