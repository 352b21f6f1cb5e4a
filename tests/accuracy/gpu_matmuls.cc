#include <vector>

#include "lib/calibrate/measurements.h"
#include "tests/accuracy/sections.h"

namespace hloroof {

void report_gpu_matmuls(const std::string& shared, Report& report) {
  report.heading("Measured matmuls, H100 and B200");
  report.paragraph(
      "XLA's own table: batches of 1, 2 and 4, dimensions that are powers of two from 256 to 4096. Constants are "
      "fitted to "
      "every second row of bf16 and f32; the figures are of the other rows. f8 rows of H100 beyond its dense peak are "
      "left "
      "out: a product cannot run faster than the peak.");
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> all;
  struct Chip {
    const char* key;
    const char* device;
  };
  for (const Chip& chip : {Chip{"sm_90", "h100_sxm"}, Chip{"sm_100_B200", "b200_sxm"}}) {
    const auto device = find_device(chip.device);
    if (!device.ok()) continue;
    for (const char* type : {"bf16", "f32", "f8e4m3fn"}) {
      MeasurementOptions options;
      options.where = {{"device_key", chip.key}, {"lhs_dtype", type}};
      auto measured = read_measurements(shared + "/measured/xla_gpu_matmul_perf.csv", options);
      if (!measured.ok()) continue;
      std::erase_if(*measured, [&](const Measurement& m) {
        return m.ops[0].matrix_flops / m.seconds > device->matrix.peak.f8.value_or(0);
      });
      std::vector<Sample> samples;
      for (const Measurement& m : split_in_two(*measured).held_back) {
        samples.push_back(
            {std::string(chip.device) + " " + m.what, predicted_seconds(m, *device), m.seconds, 1, terms(m, *device)});
      }
      const Figures f = figures(samples);
      rows.push_back({chip.device, type, std::to_string(f.count), percent(f.bias), percent(f.median), percent(f.p90)});
      const std::string name = std::string("gpu_matmul.") + chip.device + "." + type;
      report.figure(name + ".median", f.median);
      report.figure(name + ".p90", f.p90);
      all.insert(all.end(), samples.begin(), samples.end());
    }
  }
  report.table({"device", "type", "rows held back", "bias", "median", "p90"}, rows);
  report.worst(all);
}

}  // namespace hloroof
