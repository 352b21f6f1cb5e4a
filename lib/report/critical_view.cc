#include <algorithm>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {
namespace {

std::string share_of(double seconds, const StepPrediction& p) {
  return p.step_seconds > 0 ? format_percent(seconds / p.step_seconds) : "";
}

std::string categories(const StepPrediction& p, const TextLayout& layout) {
  Table table({{"time", Align::kRight}, {"of the step", Align::kRight}, {"category"}});
  for (const CategoryPrediction& part : p.critical_path) {
    table.add({format_seconds(part.seconds), share_of(part.seconds, p), part.category});
  }
  return "Critical path by category; an awaited transfer replaces the ops that overlap it\n" + table.to_string(layout);
}

// Lists the longest ops of the path, in program order.
std::string path(const StepPrediction& p, const ViewOptions& options) {
  std::vector<const OpPrediction*> ops;
  for (const OpPrediction& op : p.ops) {
    if (op.critical_seconds > 0) ops.push_back(&op);
  }
  const std::size_t all = ops.size();
  std::stable_sort(ops.begin(), ops.end(), [](auto* a, auto* b) { return a->critical_seconds > b->critical_seconds; });
  if (options.rows.limit > 0 && ops.size() > options.rows.limit) ops.resize(options.rows.limit);
  std::sort(ops.begin(), ops.end());  // in the order of the prediction
  const ShortNames names(p);
  Table table({{"time", Align::kRight},
               {"of the step", Align::kRight},
               {"runs", Align::kRight},
               {.title = "bound", .is_whole = true},
               {.title = "op", .names = &names}});
  double shown = 0;
  double total = 0;
  for (const OpPrediction* op : ops) {
    shown += op->critical_seconds;
    table.add({format_seconds(op->critical_seconds), share_of(op->critical_seconds, p), format_count(op->executions),
               bound_text(*op, p.family), op->name});
  }
  for (const CategoryPrediction& part : p.critical_path) total += part.seconds;
  if (all > ops.size()) {
    table.add({format_seconds(total - shown), share_of(total - shown, p), "", "", format_others(all - ops.size())});
  }
  table.add({format_seconds(total), share_of(total, p), "", "", "TOTAL"});
  return "The longest of it, in the order of the program\n" + table.to_string(options);
}

std::string resources(const StepPrediction& p, const TextLayout& layout) {
  Table table({{"resource"},
               {"busy", Align::kRight},
               {"idle", Align::kRight},
               {"step if free", Align::kRight},
               {"faster", Align::kRight}});
  for (const ResourceUse& use : p.resources) {
    const double without = use.step_if_free_seconds.value_or(0);
    table.add({std::string(to_string(use.resource, p.family)), format_seconds(use.busy_seconds),
               format_seconds(use.idle_seconds), use.step_if_free_seconds ? format_seconds(without) : "",
               without > 0 ? absl::StrFormat("%.2fx", p.step_seconds / without) : ""});
  }
  return "Resources; the step if each were free is the most to be had from it\n" + table.to_string(layout);
}

}  // namespace

std::string critical_view(const StepPrediction& p, const ViewOptions& options) {
  return categories(p, options) + "\n" + path(p, options) + "\n" + resources(p, options);
}

}  // namespace hloroof::internal::inline report
