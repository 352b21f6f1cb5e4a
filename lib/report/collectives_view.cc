#include <algorithm>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/analysis/axis_names.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {
namespace {

using Entries = std::vector<const CollectivePrediction*>;

// Sorts by exposed time, longest first.
Entries sorted_rows(const StepPrediction& p) {
  Entries rows;
  for (const CollectivePrediction& c : p.collectives) rows.push_back(&c);
  std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->exposed_seconds > b->exposed_seconds; });
  return rows;
}

// Returns the value of --mesh that gives the axes of this mesh names, "A=4,B=2", or an empty text if any has one. That
// of the axes between slices is not the user's either, but the option leaves it as it is.
std::string mesh_with_names(const std::vector<MeshAxisPrediction>& mesh) {
  std::string value;
  for (const MeshAxisPrediction& axis : mesh) {
    if (axis.name == kSlicesAxis) continue;
    if (!is_description_of_axis(axis.name)) return "";
    const auto nth = static_cast<std::size_t>(std::count(value.begin(), value.end(), '='));
    absl::StrAppendFormat(&value, "%s%c=%d", value.empty() ? "" : ",", static_cast<char>('A' + nth % 26), axis.size);
  }
  return value;
}

std::string mesh_table(const StepPrediction& p, const TextLayout& layout) {
  Table table({{"size", Align::kRight}, {"stride", Align::kRight}, {"axis", Align::kLeft, 20}, {"role"}, {"on"}});
  for (const MeshAxisPrediction& axis : p.mesh) {
    std::string role = absl::StrJoin(axis.roles, ", ");
    if (role.empty()) {
      const bool is_used = std::any_of(p.collectives.begin(), p.collectives.end(), [&](const auto& collective) {
        return std::find(collective.axis_names.begin(), collective.axis_names.end(), axis.name) !=
               collective.axis_names.end();
      });
      role = is_used ? "not decided" : "nothing goes along it";
    }
    table.add({absl::StrFormat("%d", axis.size), absl::StrFormat("%d", axis.stride), axis.name, role, axis.placement});
  }
  const std::string names = mesh_with_names(p.mesh);
  return "Mesh on " + p.topology + (p.slices > 1 ? absl::StrFormat(" x %d slices", p.slices) : "") + "\n" +
         table.to_string(layout) +
         (names.empty() ? "" : "  The text does not name these axes; this does: --mesh " + names + "\n");
}

std::string time_table(const StepPrediction& p, const Entries& rows, std::size_t shown, const TextLayout& layout) {
  const ShortNames names(p);
  Table table({{"exposed", Align::kRight},
               {"time", Align::kRight},
               {"bytes", Align::kRight},
               {"groups", Align::kRight},
               {.title = "kind", .is_whole = true},
               {"over", Align::kLeft, 20},
               {.title = "op", .names = &names}});
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectivePrediction& c = *rows[i];
    const std::string over = c.axis_names.empty() && c.group_size > 1 ? "no axes" : absl::StrJoin(c.axis_names, ", ");
    table.add({format_seconds(c.exposed_seconds), format_seconds(c.seconds), format_bytes(c.bytes),
               absl::StrFormat("%dx%d", c.group_count, c.group_size), c.kind, over, c.name});
  }
  if (shown < rows.size()) {
    double others = 0;  // summed directly: if all are hidden, total minus shown is not exactly 0
    for (std::size_t i = shown; i < rows.size(); ++i) others += rows[i]->exposed_seconds;
    table.add({format_seconds(others), "", "", "", "", "", format_others(rows.size() - shown)});
  }
  table.add({format_seconds(p.exposed_communication_seconds), "", "", "", "", "", "TOTAL"});
  return "Collectives: exposed over the step; time and bytes of one execution\n" + table.to_string(layout);
}

// Shows the bytes on the links and the size from which the link bandwidth dominates the time.
std::string wire_table(const StepPrediction& p, const Entries& rows, std::size_t shown, const TextLayout& layout) {
  const ShortNames names(p);
  Table table({{"sent", Align::kRight},
               {"busiest link", Align::kRight},
               {"of peak", Align::kRight},
               {"latency to", Align::kRight},
               {"hidden from", Align::kRight},
               {.title = "op", .names = &names}});
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectivePrediction& c = *rows[i];
    table.add({format_bytes(c.wire_bytes), format_bytes(c.busiest_link_bytes),
               c.link_bandwidth > 0 ? format_percent(c.link_utilization) : "?",
               c.crossover_bytes > 0 ? format_bytes(c.crossover_bytes) : "",
               c.crossover_tokens ? format_count(*c.crossover_tokens) + " tokens" : "", c.name});
  }
  return "On the wire, one execution: bytes a device sends, bytes over the busiest link\n"
         "one way and what share of its peak that is; latency bound up to these full\n"
         "bytes; hidden by the matmuls with these weights from so many tokens a device\n" +
         table.to_string(layout);
}

}  // namespace

std::string collectives_view(const StepPrediction& p, const ViewOptions& options) {
  const Entries rows = sorted_rows(p);
  if (rows.empty()) return "Collectives: none\n";
  const std::size_t shown = shown_rows(rows.size(), options.rows);
  return mesh_table(p, options) + "\n" + time_table(p, rows, shown, options) + "\n" +
         wire_table(p, rows, shown, options);
}

}  // namespace hloroof::internal::inline report
