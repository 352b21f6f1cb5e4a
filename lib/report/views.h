// Formats the views of a prediction as text. Each view is a row of a table in views.cc and a function in a separate
// file. Lines have at most `width` characters, unless a name is longer.
#ifndef HLOROOF_LIB_REPORT_VIEWS_H_
#define HLOROOF_LIB_REPORT_VIEWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/describe/table.h"
#include "lib/results/rows.h"
#include "lib/results/view_csv.h"

namespace hloroof::internal::inline report {

struct ViewOptions : TextLayout {
  bool color = false;  // for a terminal with color support
  RowOptions rows;
};

// The names that --view accepts, in print order.
const std::vector<std::string>& view_names();
// The names of those that view_csv() writes.
const std::vector<std::string>& csv_view_names();
// Errors: InvalidArgument for an unknown name.
absl::Status check_views(const std::vector<std::string>& views);
// Requests what some views show and other predictions lack: the members of PredictOptions for which there is no option
// of the command. Returns whether one of `views` is such a view.
bool request_for(const std::vector<std::string>& views, PredictOptions& options);

// Returns the named views, separated by blank lines. Errors: InvalidArgument for an unknown view or a malformed filter
// or rewrite.
absl::StatusOr<std::string> render_views(const StepPrediction& prediction, const std::vector<std::string>& views,
                                         const ViewOptions& options);
// Returns the records of one view as CSV; view_csv.h says which. `rows` selects, groups and rewrites ops. Errors: those
// of make_rows(); InvalidArgument for an unknown view or one without records.
absl::StatusOr<std::string> view_csv(std::string_view view, const NamedStep& named, const RowOptions& rows,
                                     bool with_titles = true);
// Returns what shows a prediction when no view is chosen: its summary, its breakdown, its longest ops and the three
// causes that cost the most. With `may_group`, ops that are alike share a row, unless `options` ask for a filter, an
// order or other names.
absl::StatusOr<std::string> first_screen(const StepPrediction& prediction, bool may_group, ViewOptions options);

std::string summary_view(const StepPrediction& prediction, const ViewOptions& options);
absl::StatusOr<std::string> ops_view(const StepPrediction& prediction, const ViewOptions& options);
std::string breakdown_view(const StepPrediction& prediction, const ViewOptions& options);
std::string layers_view(const StepPrediction& prediction, const ViewOptions& options);
std::string roofline_view(const StepPrediction& prediction, const ViewOptions& options);
std::string memory_view(const StepPrediction& prediction, const ViewOptions& options);
absl::StatusOr<std::string> padding_view(const StepPrediction& prediction, const ViewOptions& options);
std::string collectives_view(const StepPrediction& prediction, const ViewOptions& options);
std::string timeline_view(const StepPrediction& prediction, const ViewOptions& options);
std::string critical_view(const StepPrediction& prediction, const ViewOptions& options);
// What better numbers of the device and faster ops would save.
std::string sensitivity_view(const StepPrediction& prediction, const ViewOptions& options);
// Compares the model with the compiler's estimates; see estimates.h.
std::string estimates_view(const StepPrediction& prediction, const ViewOptions& options);
// The line above a list of diagnostics.
inline constexpr std::string_view kDiagnosticsTitle =
    "Diagnostics, by cause (seconds are attributed to one cause only)\n";
// Returns one diagnostic: its severity, code and cost, what to do about it, and examples of its ops.
std::string diagnostic_text(const Diagnostic& diagnostic, double step_seconds, const ViewOptions& options);
std::string diagnostics_view(const StepPrediction& prediction, const ViewOptions& options);
// Returns the diagnostics that say that the device would run another module than this one, or that its entry is
// missing. Empty if there is none.
std::string origin_diagnostics_view(const StepPrediction& prediction, const ViewOptions& options);
// "The program needs 8 of the 256 devices of 16x16: a part of 2x4 is assumed to run it" if more were asked for than the
// program uses. Otherwise empty.
std::string part_of_request(const StepPrediction& prediction);
// Returns the `count` causes that cost the most, and the number of the others. Leaves out those about the origin, and
// those whose time other causes count. Empty if no diagnostic is actionable.
std::string causes_view(const StepPrediction& prediction, std::size_t count, const ViewOptions& options);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_VIEWS_H_
