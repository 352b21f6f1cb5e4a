#include <algorithm>
#include <string>
#include <vector>

#include "lib/calibrate/measurements.h"
#include "lib/time/op_time.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

struct Series {
  const char* key;  // of the table
  const char* device;
  const char* type;  // of both operands; of the left-hand one where the table has them mixed and sound
  bool is_mixed;
};

constexpr Series kSeries[] = {
    {"sm_90", "h100_sxm", "bf16", false},      {"sm_90", "h100_sxm", "f32", false},
    {"sm_90", "h100_sxm", "f8e4m3fn", true},   {"sm_100_B200", "b200_sxm", "bf16", false},
    {"sm_100_B200", "b200_sxm", "f32", false}, {"sm_100_B200", "b200_sxm", "f8e4m3fn", true},
    {"gfx950", "mi355x", "bf16", false},       {"gfx950", "mi355x", "f16", false},
    {"gfx950", "mi355x", "f32", false},        {"gfx950", "mi355x", "f8e4m3fn", false},
};

// A kernel takes what the fastest row of its series takes, and for the work it has beyond that row's at least the time
// of the dense peak. A row that claims less measured no dense product. Returns how many are left out.
std::size_t leave_out_impossible(std::vector<Measurement>& rows, const Device& device) {
  if (rows.empty()) return 0;
  const auto at_peak = [&](const Measurement& row) { return matrix_peak_seconds(row.ops[0].matrix[0], device); };
  const Measurement fastest = *std::min_element(
      rows.begin(), rows.end(), [](const Measurement& a, const Measurement& b) { return a.seconds < b.seconds; });
  return std::erase_if(
      rows, [&](const Measurement& row) { return row.seconds - fastest.seconds < at_peak(row) - at_peak(fastest); });
}

}  // namespace

void report_gpu_matmuls(const std::string& shared, Report& report) {
  report.heading("Measured matmuls, H100, B200 and MI355X");
  report.paragraph(
      "XLA's own table: batches of 1, 2 and 4, dimensions that are powers of two from 256 to 4096. Constants are "
      "fitted to every second row of bf16 and f32 (MI355X: of bf16 and f16 together, of f32, and of f8e4m3fn by "
      "f8e4m3fn); the figures are of the other rows. Rows are left out as impossible that take less than the fastest "
      "row of their series and, for the work beyond that "
      "row's, the dense peak. The f8 rows of H100 that remain come of the same kernels, which reach 1.6 times the "
      "peak from one K to the next (4096 x 4096, K from 512 to 1024): no constant is fitted to them, and none to "
      "f8e4m3fn by f8e5m2 on MI355X, which the table has at twice the speed of f8e4m3fn by f8e4m3fn.");
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> all;
  for (const Series& series : kSeries) {
    const auto device = find_device(series.device);
    if (!device.ok()) continue;
    MeasurementOptions options;
    options.where = {{"device_key", series.key}, {"lhs_dtype", series.type}};
    if (!series.is_mixed) options.where.push_back({"rhs_dtype", series.type});
    auto measured = read_measurements(shared + "/measured/xla_gpu_matmul_perf.csv", options);
    if (!measured.ok()) continue;
    const std::size_t left_out = leave_out_impossible(*measured, *device);
    std::vector<Sample> samples;
    for (const Measurement& m : split_in_two(*measured).held_back) {
      samples.push_back(
          {std::string(series.device) + " " + m.what, predicted_seconds(m, *device), m.seconds, 1, terms(m, *device)});
    }
    const Figures f = figures(samples);
    rows.push_back({series.device, series.type, "held back", std::to_string(left_out), std::to_string(f.count),
                    percent(f.bias), percent(f.median), percent(f.p90)});
    const std::string name = std::string("gpu_matmul.") + series.device + "." + series.type;
    report.figure(name + ".median", f.median);
    report.figure(name + ".p90", f.p90);
    report.held_back(std::string("matmuls of ") + series.type + ", " + series.device, samples);
    report.measured(series.device, Measured::kMatmuls, samples);
    all.insert(all.end(), samples.begin(), samples.end());
  }
  report.table({"device", "type", "rows", "left out", "count", "bias", "median", "p90"}, rows);
  report.worst(all);
}

}  // namespace hloroof::internal
