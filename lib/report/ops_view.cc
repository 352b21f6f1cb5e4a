#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::internal {

absl::StatusOr<std::string> ops_view(const StepPrediction& prediction, const ViewOptions& options) {
  absl::StatusOr<Rows> rows = make_rows(prediction, options.rows);
  if (!rows.ok()) return rows.status();
  if (rows->rows.empty() && !options.rows.filter.empty()) return "No op matches '" + options.rows.filter + "'\n";
  const bool grouped = options.rows.group != GroupBy::kNone || !options.rows.rewrites.empty();
  // 80 columns have no room for the category next to a readable name; --wide shows it.
  const bool wide = options.width == 0;
  std::vector<Column> columns = {{"share", Align::kRight}, {"time", Align::kRight},
                                 {"runs", Align::kRight},  {"bound", Align::kLeft},
                                 {"roof", Align::kRight},  {grouped ? "group" : "op", Align::kLeft}};
  if (!grouped) columns.push_back({"source", Align::kLeft, wide ? std::size_t{0} : std::size_t{16}});
  if (!grouped && wide) columns.push_back({"category", Align::kLeft});
  Table table(std::move(columns));
  const auto share = [&](const Row& row) {
    return prediction.step_seconds > 0 ? format_percent(row.seconds / prediction.step_seconds) : std::string();
  };
  for (const Row& row : rows->rows) {
    table.add({share(row), format_seconds(row.seconds), format_count(row.count), row.bound,
               row.busy_seconds > 0 ? format_percent(row.efficiency) : "", row.label, grouped ? "" : row.source,
               row.category});
  }
  if (rows->others)
    table.add({share(*rows->others), format_seconds(rows->others->seconds), "", "", "", rows->others->label});
  table.add({share(rows->total), format_seconds(rows->total.seconds), "", "", "", rows->total.label});
  return "Time in the step by " + std::string(grouped ? "group" : "op") +
         "; roof: share of the bounding resource's peak\n" + table.to_string(options.width);
}

}  // namespace hloroof::internal
