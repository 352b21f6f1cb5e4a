// Measured operations, read from a table, as the work that the model puts a time to.
#ifndef HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_
#define HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

struct Measurement {
  std::string what;
  std::vector<Work> ops;  // that run one after another
  double seconds = 0;     // what they took, the floor of the measuring taken off
};

struct MeasurementOptions {
  std::vector<std::pair<std::string, std::string>> where;  // only rows with this value in this column, or one
                                                           // of its values if it is named again
  double floor_seconds = 0;  // of the measuring itself: taken off, and rows below twice it are left out
  std::string dump_root;     // folder of the dumps that a column `hlo` names; empty: shapes alone decide
};

// Reads matmuls from a CSV file with a header: columns m, n, k (any case), batch (1 if absent), dtype or lhs_dtype,
// rhs_dtype and out_dtype, and the time in seconds, median_s, or implied_time_us. With a dump its scheduled operations
// are the work, so that it is known which operands lie in on-chip memory; without one a row is one product with all
// operands in main memory. Errors: NotFound for a file that cannot be read, InvalidArgument for a row that is not
// understood.
absl::StatusOr<std::vector<Measurement>> read_measurements(const std::string& path, const MeasurementOptions& options);

// Every second measurement to fit to, the others to judge the fit by.
struct Split {
  std::vector<Measurement> fitted;
  std::vector<Measurement> held_back;
};
Split split_in_two(const std::vector<Measurement>& measurements);

// The model's time for what was measured.
double predicted_seconds(const Measurement& measurement, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CALIBRATE_MEASUREMENTS_H_
