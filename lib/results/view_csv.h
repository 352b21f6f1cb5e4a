// The views of a prediction as CSV, one line for each record.
#ifndef HLOROOF_LIB_RESULTS_VIEW_CSV_H_
#define HLOROOF_LIB_RESULTS_VIEW_CSV_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/results/rows.h"

namespace hloroof::internal::inline results {

using NamedPrediction = std::pair<std::string, StepPrediction>;  // file name and prediction

// The same as an argument, which refers to both.
struct NamedStep {
  NamedStep(std::string_view name, const StepPrediction& step) : file(name), prediction(step) {}
  NamedStep(const NamedPrediction& named)  // NOLINT(google-explicit-constructor): an argument
      : file(named.first), prediction(named.second) {}

  std::string_view file;
  const StepPrediction& prediction;
};

// Each writes one line for each record of a view. The columns are the file, the device, the topology, the device
// parameters that were set, and the fields of the record under their JSON names. The titles precede them if
// `with_titles`.

// A line is an op that passes the filter of `rows`, or one row of make_rows() if `rows` group or rewrite; their limit
// does not apply. Errors: those of make_rows().
absl::StatusOr<std::string> ops_view_csv(const NamedStep& named, const RowOptions& rows, bool with_titles);

std::string layers_view_csv(const NamedStep& named, bool with_titles);
std::string collectives_view_csv(const NamedStep& named, bool with_titles);
std::string breakdown_view_csv(const NamedStep& named, bool with_titles);
std::string roofline_view_csv(const NamedStep& named, bool with_titles);     // resources
std::string critical_view_csv(const NamedStep& named, bool with_titles);     // categories of the critical path
std::string memory_view_csv(const NamedStep& named, bool with_titles);       // buffers live at the peak
std::string sensitivity_view_csv(const NamedStep& named, bool with_titles);  // numbers of the device
std::string estimates_view_csv(const NamedStep& named, bool with_titles);    // ops with an estimate
std::string diagnostics_view_csv(const NamedStep& named, bool with_titles);

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_VIEW_CSV_H_
