// Several predictions side by side: one row for each file, device, topology and combination of parameter values.
#ifndef HLOROOF_LIB_REPORT_SWEEP_H_
#define HLOROOF_LIB_REPORT_SWEEP_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"

namespace hloroof::internal::inline report {

// A device parameter that --set changed.
struct SweptValue {
  std::string parameter;
  std::string unit;
  double value = 0;              // in SI units
  std::optional<double> factor;  // value / the device's own value; nullopt if that is unknown or 0
};

struct SweepPoint {
  std::string file;
  StepPrediction step;  // without its ops, facts and other long lists
  std::vector<SweptValue> values;
};

// For the fields of step_fields.h.
inline const StepPrediction& step_of(const SweepPoint& point) { return point.step; }

// Keeps what a row needs of the prediction. `targets` has its device as it is without --set.
SweepPoint make_sweep_point(std::string file, StepPrediction step, const std::vector<Target>& targets);

// Order of the rows. kGiven is that of the command line: files outermost, the last parameter innermost.
enum class SweepOrder { kGiven, kStep, kHfu, kMemory };

// "none", "step", "hfu" or "memory".
std::optional<SweepOrder> sweep_order_from_string(std::string_view text);

// True if the points differ in more than the values of parameters, whose order the user chose.
bool has_several_places(const std::vector<SweepPoint>& points);

// Sorts the best first: the shortest step, the highest HFU or the least memory. Points without an HFU come last.
void sort_points(std::vector<SweepPoint>& points, SweepOrder order);

// Formats one row for each point, with the ratio to the fastest, below a header with the values that all share. Leaves
// out the least important columns if they do not fit the width. In the order kGiven, each of several files with several
// rows has its own table.
std::string sweep_view(const std::vector<SweepPoint>& points, SweepOrder order, const TextLayout& layout);

std::string sweep_csv(const std::vector<SweepPoint>& points);

// Schema "hloroof.sweep/1".
std::string sweep_json(const std::vector<SweepPoint>& points);

// The fields of a sweep and of all records in it.
ResultTable sweep_table();

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_SWEEP_H_
