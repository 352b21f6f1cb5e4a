// The views of a prediction as CSV, one line for each record.
#ifndef HLOROOF_LIB_RESULTS_VIEW_CSV_H_
#define HLOROOF_LIB_RESULTS_VIEW_CSV_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/results/rows.h"

namespace hloroof::internal {

using NamedPrediction = std::pair<std::string, StepPrediction>;  // file name and prediction

// The names of the views that view_csv() writes.
const std::vector<std::string>& csv_view_names();

// Writes one line for each record of a view: for each op, layer, collective, part of the breakdown, resource
// (roofline), category of the critical path, buffer live at the peak (memory), estimated op or diagnostic. The columns
// are the file, the device, the topology, the device parameters that were set, and the fields of the record under their
// JSON names. The titles precede them if `with_titles`. `rows` selects ops by its filter. If it groups or rewrites, a
// line is one row of make_rows(); its limit does not apply. Errors: those of make_rows(); InvalidArgument for other
// views.
absl::StatusOr<std::string> view_csv(std::string_view view, const NamedPrediction& prediction, const RowOptions& rows,
                                     bool with_titles = true);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_RESULTS_VIEW_CSV_H_
