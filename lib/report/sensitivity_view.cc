#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {
namespace {

std::string saved_text(double seconds) {
  return seconds < 0 ? "-" + format_seconds(-seconds) : format_seconds(seconds);
}

std::string saved_share(double seconds, const StepPrediction& p) {
  if (p.step_seconds <= 0) return "";
  return seconds < 0 ? "-" + format_percent(-seconds / p.step_seconds) : format_percent(seconds / p.step_seconds);
}

std::string numbers_table(const std::vector<NumberSensitivity>& numbers, const StepPrediction& p,
                          const ViewOptions& options) {
  Table table({{"saves", Align::kRight},
               {"of the step", Align::kRight},
               {"elasticity", Align::kRight},
               {"value", Align::kRight},
               {"better", Align::kRight},
               {.title = "number", .is_whole = true}});
  const std::size_t shown = shown_rows(numbers.size(), options.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const NumberSensitivity& row = numbers[i];
    table.add({saved_text(row.saved_seconds), saved_share(row.saved_seconds, p),
               absl::StrFormat("%.3f", row.elasticity), format_quantity(row.value, row.unit),
               format_quantity(row.better_value, row.unit), row.path});
  }
  if (shown < numbers.size()) table.add({"", "", "", "", "", format_others(numbers.size() - shown)});
  return "Numbers of the device: what the step saves if one of them were 10 % better\n"
         "(efficiencies: at most 1), and its percent for a percent of the number\n" +
         table.to_string(options);
}

std::string ops_table(const std::vector<OpSensitivity>& ops, const StepPrediction& p, const ViewOptions& options) {
  const ShortNames names(p);
  Table table({{"saves", Align::kRight},
               {"of the step", Align::kRight},
               {"its time", Align::kRight},
               {.title = "op", .names = &names}});
  const std::size_t shown = shown_rows(ops.size(), options.rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const OpSensitivity& row = ops[i];
    table.add({saved_text(row.saved_seconds), saved_share(row.saved_seconds, p), format_seconds(row.total_seconds),
               row.name});
  }
  if (shown < ops.size()) table.add({"", "", "", format_others(ops.size() - shown)});
  return "Ops: what the step saves if one of them took no time\n" + table.to_string(options);
}

}  // namespace

std::string sensitivity_view(const StepPrediction& p, const ViewOptions& options) {
  if (!p.sensitivity) return "Sensitivity was not predicted: PredictOptions::sensitivity requests it\n";
  return numbers_table(p.sensitivity->numbers, p, options) + "\n" + ops_table(p.sensitivity->free_ops, p, options);
}

}  // namespace hloroof::internal::inline report
