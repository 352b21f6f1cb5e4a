#include <algorithm>

#include "lib/analysis/op_name.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"
#include "lib/results/fold.h"

namespace hloroof::internal::inline report {

absl::StatusOr<std::string> ops_view(const StepPrediction& prediction, const ViewOptions& options) {
  absl::StatusOr<Rows> rows = make_rows(prediction, options.rows);
  if (!rows.ok()) return rows.status();
  if (rows->rows.empty() && !options.rows.filter.empty()) return "No op matches '" + options.rows.filter + "'\n";
  const bool grouped = options.rows.group != GroupBy::kNone || !options.rows.rewrites.empty();
  // 80 columns have no room for the category next to a readable name.
  constexpr std::size_t kWide = 120;
  const bool wide = options.width == 0 || options.width >= kWide || options.markdown;
  const bool any_wait = rows->total.wait_seconds > 0;  // the column of waits takes the room of the source
  const bool has_source = !grouped && (wide || !any_wait);
  const bool folded = options.rows.group == GroupBy::kSimilar;
  const bool has_layer =
      folded && std::any_of(rows->rows.begin(), rows->rows.end(), [](const Row& row) { return !row.layer.empty(); });
  // In a narrow table, the names that the user gave take the room of numbers: of the runs, and with waits, which the
  // bound names, also of their seconds and of the roof.
  const bool has_wait = any_wait && (wide || !has_layer);
  const bool has_runs = !folded || wide || !(has_layer || any_wait);
  const bool has_roof = wide || !(has_layer && any_wait);
  const auto share = [&](const Row& row) {
    return prediction.step_seconds > 0 ? format_percent(row.seconds / prediction.step_seconds) : std::string();
  };
  std::vector<Column> columns = {{"share", Align::kRight}, {"time", Align::kRight}};
  if (has_wait) columns.push_back({"wait", Align::kRight});
  if (has_runs) columns.push_back({"runs", Align::kRight});
  columns.push_back({.title = "bound", .is_whole = true});
  if (has_roof) columns.push_back({"roof", Align::kRight});
  const ShortNames names(prediction);
  columns.push_back({.title = folded    ? "op ×alike"
                              : grouped ? "group"
                                        : "op",
                     .is_code = true,
                     .names = !grouped || folded ? &names : nullptr});
  if (has_layer) {
    constexpr std::size_t kLayerWidth = 30;
    columns.push_back(
        {.title = "layer", .max_width = kLayerWidth, .min_width = wide ? 0 : kLayerWidth, .is_code = true});
  }
  if (has_source) columns.push_back({"source", Align::kLeft, std::size_t{wide ? 30U : 16U}});
  if (!grouped && wide) columns.push_back({"category", Align::kLeft});
  Table table(std::move(columns));
  const auto add = [&](const Row& row, const std::string& runs, const std::string& bound, const std::string& roof) {
    std::vector<std::string> cells = {share(row), format_seconds(row.seconds)};
    if (has_wait) cells.push_back(row.wait_seconds > 0 ? format_seconds(row.wait_seconds) : "");
    if (has_runs) cells.push_back(runs);
    cells.push_back(bound);
    if (has_roof) cells.push_back(roof);
    cells.push_back(folded && !row.first_op.empty() ? folded_label(row.label, row.ops) : row.label);
    if (has_layer) cells.push_back(row.layer);
    if (has_source) cells.push_back(row.source);
    if (!grouped && wide) cells.push_back(row.category);
    table.add(std::move(cells));
  };
  for (const Row& row : rows->rows) {
    add(row, format_count(row.count), row.bound, row.busy_seconds > 0 ? format_percent(row.efficiency) : "");
  }
  if (rows->others) add(*rows->others, "", "", "");
  add(rows->total, "", "", "");
  const std::string_view by = folded    ? "Time in the step, ops that are alike in one row"
                              : grouped ? "Time in the step by group"
                                        : "Time in the step by op";
  return std::string(by) + (has_roof ? "; roof: share of its bound's peak\n" : "\n") + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
