// The views of a prediction as text: each a function in a file of its own. Lines have at most `width` characters where
// names allow it.
#ifndef HLOROOF_LIB_REPORT_VIEWS_H_
#define HLOROOF_LIB_REPORT_VIEWS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/report/rows.h"

namespace hloroof::inline v0 {

struct ViewOptions {
  std::size_t width = 80;
  bool color = false;  // for a terminal that shows it
  RowOptions rows;
};

// Names that --view takes, in the order in which they are printed.
const std::vector<std::string>& view_names();
// Errors: InvalidArgument for a name that is none of them.
absl::Status check_views(const std::vector<std::string>& views);

// The views named, a blank line between them. Errors: InvalidArgument for an unknown view, a malformed filter or
// rewrite.
absl::StatusOr<std::string> render_views(const StepPrediction& prediction, const std::vector<std::string>& views,
                                         const ViewOptions& options);

std::string summary_view(const StepPrediction& prediction, const ViewOptions& options);
absl::StatusOr<std::string> ops_view(const StepPrediction& prediction, const ViewOptions& options);
std::string roofline_view(const StepPrediction& prediction, const ViewOptions& options);
std::string memory_view(const StepPrediction& prediction, const ViewOptions& options);
absl::StatusOr<std::string> padding_view(const StepPrediction& prediction, const ViewOptions& options);
std::string collectives_view(const StepPrediction& prediction, const ViewOptions& options);
std::string timeline_view(const StepPrediction& prediction, const ViewOptions& options);
std::string critical_view(const StepPrediction& prediction, const ViewOptions& options);
std::string diagnostics_view(const StepPrediction& prediction, const ViewOptions& options);
// The `count` of them worth most, one for each op, and how many more there are; empty if none is to act on.
std::string first_diagnostics_view(const StepPrediction& prediction, std::size_t count, const ViewOptions& options);

// A lane of the timeline as the device's family calls it: the links of a GPU are its nvlink.
std::string lane_name(const StepPrediction& prediction, const std::string& lane);

// Several predictions side by side: one line each, with the ratio to the fastest, and the parameters that were set.
using NamedPrediction = std::pair<std::string, StepPrediction>;  // by the file
std::string comparison_view(const std::vector<NamedPrediction>& predictions, std::size_t width);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_VIEWS_H_
