#include "lib/report/views.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_join.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline report {
namespace {

using ViewText = absl::StatusOr<std::string> (*)(const StepPrediction&, const ViewOptions&);
using ViewCsv = absl::StatusOr<std::string> (*)(const NamedStep&, const RowOptions&, bool with_titles);

struct ViewRow {
  std::string_view name;
  ViewText text;
  ViewCsv csv = nullptr;                    // null: the view has no table of records
  int csv_place = 0;                        // among the views that have a CSV, the most used first
  bool PredictOptions::*request = nullptr;  // what the view shows is predicted only if this asks for it
};

template <auto View>
absl::StatusOr<std::string> text_of(const StepPrediction& prediction, const ViewOptions& options) {
  return View(prediction, options);
}

template <auto View>
absl::StatusOr<std::string> preformatted_text_of(const StepPrediction& prediction, const ViewOptions& options) {
  return preformatted(View(prediction, options), options);
}

template <auto Csv>
absl::StatusOr<std::string> csv_of(const NamedStep& named, const RowOptions& /*rows*/, bool with_titles) {
  return Csv(named, with_titles);
}

// In print order.
constexpr ViewRow kViews[] = {
    {"summary", preformatted_text_of<summary_view>},
    {"breakdown", text_of<breakdown_view>, csv_of<breakdown_view_csv>, 4},
    {"ops", ops_view, ops_view_csv, 1},
    {"layers", text_of<layers_view>, csv_of<layers_view_csv>, 2},
    {"roofline", text_of<roofline_view>, csv_of<roofline_view_csv>, 5},
    {"memory", text_of<memory_view>, csv_of<memory_view_csv>, 7},
    {"padding", padding_view, ops_view_csv, 8},
    {"collectives", text_of<collectives_view>, csv_of<collectives_view_csv>, 3},
    {"timeline", text_of<timeline_view>},
    {"critical", text_of<critical_view>, csv_of<critical_view_csv>, 6, &PredictOptions::resource_what_ifs},
    {"sensitivity", text_of<sensitivity_view>, csv_of<sensitivity_view_csv>, 9, &PredictOptions::sensitivity},
    {"estimates", text_of<estimates_view>, csv_of<estimates_view_csv>, 10},
    {"diagnostics", preformatted_text_of<diagnostics_view>, csv_of<diagnostics_view_csv>, 11},
};

const ViewRow* find_view(std::string_view name) {
  const auto* row =
      std::find_if(std::begin(kViews), std::end(kViews), [&](const ViewRow& v) { return v.name == name; });
  return row == std::end(kViews) ? nullptr : row;
}

absl::Status unknown_view(std::string_view view) {
  return invalid_argument("unknown view '" + std::string(view) + "'; there are " + absl::StrJoin(view_names(), ", "));
}

std::vector<std::string> names_of_csv_views() {
  std::vector<const ViewRow*> rows;
  for (const ViewRow& row : kViews) {
    if (row.csv != nullptr) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(), [](const ViewRow* a, const ViewRow* b) { return a->csv_place < b->csv_place; });
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ViewRow* row : rows) names.emplace_back(row->name);
  return names;
}

}  // namespace

const std::vector<std::string>& view_names() {
  static const auto* const kNames = [] {
    auto* names = new std::vector<std::string>();
    for (const ViewRow& row : kViews) names->emplace_back(row.name);
    return names;
  }();
  return *kNames;
}

const std::vector<std::string>& csv_view_names() {
  static const auto* const kNames = new std::vector<std::string>(names_of_csv_views());
  return *kNames;
}

absl::Status check_views(const std::vector<std::string>& views) {
  for (const std::string& view : views) {
    if (find_view(view) == nullptr) return unknown_view(view);
  }
  return absl::OkStatus();
}

bool request_for(const std::vector<std::string>& views, PredictOptions& options) {
  bool is_any = false;
  for (const std::string& view : views) {
    const ViewRow* row = find_view(view);
    if (row == nullptr || row->request == nullptr) continue;
    options.*row->request = true;
    is_any = true;
  }
  return is_any;
}

absl::StatusOr<std::string> render_views(const StepPrediction& prediction, const std::vector<std::string>& views,
                                         const ViewOptions& options) {
  if (absl::Status status = check_views(views); !status.ok()) return status;
  std::string out;
  for (const std::string& view : views) {
    const absl::StatusOr<std::string> text = find_view(view)->text(prediction, options);
    if (!text.ok()) return text.status();
    if (!out.empty()) out += '\n';
    out += *text;
  }
  return out;
}

absl::StatusOr<std::string> view_csv(std::string_view view, const NamedStep& named, const RowOptions& rows,
                                     bool with_titles) {
  const ViewRow* row = find_view(view);
  if (row == nullptr) return unknown_view(view);
  if (row->csv == nullptr) return invalid_argument("the view " + std::string(view) + " has no CSV");
  return row->csv(named, rows, with_titles);
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

}  // namespace hloroof::internal::inline report
