#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "lib/calibrate/measurements.h"
#include "lib/calibrate/parameter_fit.h"
#include "tests/accuracy/sections.h"
#include "tests/accuracy/standing.h"

namespace hloroof::internal {

void report_tpu_matmuls(const std::string& shared, Report& report) {
  report.heading("Measured matmuls, TPU v5e and v6e");
  report.paragraph(
      "`jnp.dot` of M x K by K x N on one chip, median of 20 runs, the launch floor included in both columns; rows "
      "that take more than twice the floor. Constants are fitted to every second row. The other rows of v6e are seen: "
      "overhead.fill_windows was chosen with matmuls of v6e in view.");
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> all;
  for (const auto& [sku, name, floor] :
       {std::tuple("v5e", "tpu_v5e", 105.56e-6), std::tuple("v6e", "tpu_v6e", 118.73e-6)}) {
    const auto device = find_device(name);
    MeasurementOptions options;
    options.where = {{"sku", sku}};
    options.floor_seconds = floor;
    options.dump_root = shared + "/corpus";
    const auto measured = read_measurements(shared + "/measured/tpu_gemm.csv", options);
    if (!device.ok() || !measured.ok()) continue;
    const Standing others = std::string(sku) == "v6e" ? Standing::kSeen : Standing::kHeldBack;
    for (const Standing standing : {others, Standing::kFitted}) {
      std::vector<Sample> samples;
      const Split split = split_in_two(*measured);
      for (const Measurement& m : standing == Standing::kFitted ? split.fitted : split.held_back) {
        const double seconds = predicted_seconds(m, *device);
        samples.push_back({marked(standing, std::string(sku) + " " + m.what), seconds + floor, m.seconds + floor, 1,
                           terms(m, *device)});
      }
      const Figures f = figures(samples);
      rows.push_back(
          {sku, to_string(standing), std::to_string(f.count), percent(f.bias), percent(f.median), percent(f.p90)});
      if (standing == Standing::kFitted) continue;
      report.figure(figure_name(standing, std::string("tpu_matmul.") + sku + ".median"), f.median);
      report.figure(figure_name(standing, std::string("tpu_matmul.") + sku + ".p90"), f.p90);
      if (standing == Standing::kHeldBack) {
        report.held_back(std::string("matmuls, TPU ") + sku, samples);
        report.measured(name, Measured::kMatmuls, samples);
      }
      all.insert(all.end(), samples.begin(), samples.end());
    }
  }
  report.table({"chip", "rows", "count", "bias", "median", "p90"}, rows);
  report.worst(all);
}

}  // namespace hloroof::internal
