#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {

std::string collectives_view(const StepPrediction& p, const ViewOptions& options) {
  std::vector<const CollectivePrediction*> collectives;
  for (const CollectivePrediction& c : p.collectives) collectives.push_back(&c);
  std::stable_sort(collectives.begin(), collectives.end(), [](auto* a, auto* b) { return a->exposed_seconds > b->exposed_seconds; });
  if (collectives.empty()) return "Collectives: none\n";
  Table table({{"exposed", Align::kRight},
               {"time", Align::kRight},
               {"bytes", Align::kRight},
               {"groups", Align::kRight},
               {"kind", Align::kLeft, 18},
               {"op"},
               {"axes"}});
  double exposed_shown = 0;
  std::size_t rows = 0;
  for (const CollectivePrediction* c : collectives) {
    if (options.rows.limit > 0 && rows == options.rows.limit) break;
    ++rows;
    exposed_shown += c->exposed_seconds;
    table.add({format_seconds(c->exposed_seconds), format_seconds(c->seconds), format_bytes(c->bytes),
               absl::StrFormat("%dx%d", c->group_count, c->group_size), c->kind, c->name, absl::StrJoin(c->axes, ", ")});
  }
  if (rows < collectives.size()) {
    table.add({format_seconds(p.exposed_communication_seconds - exposed_shown), "", "", "", "",
               absl::StrFormat("[%d others]", collectives.size() - rows)});
  }
  table.add({format_seconds(p.exposed_communication_seconds), "", "", "", "", "TOTAL"});
  return "Collectives: exposed over the step; time and bytes of one execution\n" + table.to_string(options.width);
}

}  // namespace hloroof::inline v0
