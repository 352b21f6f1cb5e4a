#include "lib/report/views.h"

#include <algorithm>

#include "lib/base/strings.h"

namespace hloroof::internal {

const std::vector<std::string>& view_names() {
  static const auto* const kNames =
      new std::vector<std::string>{"summary", "breakdown",   "ops",      "layers",   "roofline",  "memory",
                                   "padding", "collectives", "timeline", "critical", "estimates", "diagnostics"};
  return *kNames;
}

absl::Status check_views(const std::vector<std::string>& views) {
  for (const std::string& view : views) {
    if (std::find(view_names().begin(), view_names().end(), view) != view_names().end()) continue;
    std::string known;
    for (const std::string& name : view_names()) known += (known.empty() ? "" : ", ") + name;
    return invalid_argument("unknown view '" + view + "'; there are " + known);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> render_views(const StepPrediction& prediction, const std::vector<std::string>& views,
                                         const ViewOptions& options) {
  if (absl::Status status = check_views(views); !status.ok()) return status;
  std::string out;
  for (const std::string& view : views) {
    absl::StatusOr<std::string> text;
    if (view == "summary") {
      text = preformatted(summary_view(prediction, options), options);
    } else if (view == "breakdown") {
      text = breakdown_view(prediction, options);
    } else if (view == "ops") {
      text = ops_view(prediction, options);
    } else if (view == "layers") {
      text = layers_view(prediction, options);
    } else if (view == "roofline") {
      text = roofline_view(prediction, options);
    } else if (view == "memory") {
      text = memory_view(prediction, options);
    } else if (view == "padding") {
      text = padding_view(prediction, options);
    } else if (view == "collectives") {
      text = collectives_view(prediction, options);
    } else if (view == "timeline") {
      text = timeline_view(prediction, options);
    } else if (view == "critical") {
      text = critical_view(prediction, options);
    } else if (view == "estimates") {
      text = estimates_view(prediction, options);
    } else {
      text = preformatted(diagnostics_view(prediction, options), options);
    }
    if (!text.ok()) return text.status();
    if (!out.empty()) out += '\n';
    out += *text;
  }
  return out;
}

absl::StatusOr<std::string> first_screen(const StepPrediction& prediction, bool may_group, ViewOptions options) {
  const bool is_plain =
      options.rows.rewrites.empty() && options.rows.filter.empty() && options.rows.sort == SortBy::kTime;
  if (may_group && is_plain) options.rows.group = GroupBy::kSimilar;
  absl::StatusOr<std::string> text = render_views(prediction, {"summary", "breakdown", "ops"}, options);
  if (!text.ok()) return text;
  // It ends with the causes that cost the most; the view diagnostics has all.
  const std::string worth_most = causes_view(prediction, 3, options);
  if (!worth_most.empty()) *text += "\n" + preformatted(worth_most, options);
  return text;
}

}  // namespace hloroof::internal
