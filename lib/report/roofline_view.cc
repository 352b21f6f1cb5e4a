#include <algorithm>

#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {

// Shows how busy each resource is, and how far the longest ops are below the roof that limits them.
std::string roofline_view(const StepPrediction& p, const ViewOptions& options) {
  Table resources({{"resource"}, {"busy", Align::kRight}, {"of step", Align::kRight}});
  for (const ResourceUse& use : p.resources) {
    resources.add({std::string(to_string(use.resource, p.family)), format_seconds(use.busy_seconds),
                   format_percent(use.utilization)});
  }
  std::string out = "Resources\n" + resources.to_string(options) + "\n";

  std::vector<const OpPrediction*> ops;
  for (const OpPrediction& op : p.ops) {
    if (op.total_seconds > 0) ops.push_back(&op);
  }
  std::stable_sort(ops.begin(), ops.end(), [](auto* a, auto* b) { return a->total_seconds > b->total_seconds; });
  if (options.rows.limit > 0 && ops.size() > options.rows.limit) ops.resize(options.rows.limit);
  const ShortNames names(p);
  Table table({{.title = "op", .names = &names},
               {"flop/byte", Align::kRight},
               {"rate", Align::kRight},
               {"bandwidth", Align::kRight},
               {"bound"},
               {"roof", Align::kRight}});
  for (const OpPrediction* op : ops) {
    const double hbm = op->work->read.hbm + op->work->written.hbm;
    table.add({op->name, hbm > 0 ? format_count(op->work->flops / hbm) : "",
               format_rate(op->work->flops / op->seconds, "flop/s"), format_rate(hbm / op->seconds, "B/s"),
               bound_text(*op, p.family), format_percent(op->efficiency)});
  }
  return out + "Longest ops: intensity, achieved rates, share of the bounding roof\n" + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
