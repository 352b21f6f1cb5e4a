// Reads measured operations from a table and converts them to the work that the model times.
#ifndef HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_
#define HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline calibrate {

struct Measurement {
  std::string what;
  std::vector<Work> ops;  // run one after another
  double seconds = 0;     // their measured time minus the floor
};

struct MeasurementOptions {
  // Pairs of column and value. A row must have one of the listed values in each listed column.
  std::vector<std::pair<std::string, std::string>> where;
  double floor_seconds = 0;  // measurement overhead: subtracted, and rows below twice the floor are skipped
  std::string dump_root;     // folder of the dumps in column `hlo`; if empty, only the shapes are used
};

// Reads matmuls from a CSV file with a header. The columns are m, n, k (any case), batch (default 1), dtype or
// lhs_dtype, rhs_dtype and out_dtype, and the time in seconds, median_s or implied_time_us. If a row has a dump, its
// work is that of the scheduled operations, which tell which operands are in on-chip memory. Otherwise a row is one
// product with all operands in main memory. Errors: NotFound if the file cannot be read, InvalidArgument for a
// malformed row.
absl::StatusOr<std::vector<Measurement>> read_measurements(const std::string& path, const MeasurementOptions& options);

// Every second measurement for the fit, and the others to validate it.
struct Split {
  std::vector<Measurement> fitted;
  std::vector<Measurement> held_back;
};
Split split_in_two(const std::vector<Measurement>& measurements);

// The time that the model predicts for a measurement.
double predicted_seconds(const Measurement& measurement, const Device& device);

}  // namespace hloroof::internal::inline calibrate

#endif  // HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_
