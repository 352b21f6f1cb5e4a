#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {

absl::StatusOr<std::string> padding_view(const StepPrediction& prediction, const ViewOptions& options) {
  RowOptions row_options = options.rows;
  row_options.sort = SortBy::kPadding;
  absl::StatusOr<Rows> rows = make_rows(prediction, row_options);
  if (!rows.ok()) return rows.status();
  const ShortNames names(prediction);
  Table table({{"padding", Align::kRight},
               {"of bytes", Align::kRight},
               {"time", Align::kRight},
               {.title = "op", .names = &names},
               {"source", Align::kLeft, 18}});
  const auto add = [&](const Row& row) {
    table.add({format_bytes(row.padding_bytes), format_bytes(row.moved_bytes), format_seconds(row.seconds), row.label,
               row.source});
  };
  for (const Row& row : rows->rows) add(row);
  if (rows->others) add(*rows->others);
  add(rows->total);
  return "Bytes moved in all memories that are tile padding, over the step\n" + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
