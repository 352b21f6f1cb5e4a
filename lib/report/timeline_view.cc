#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/describe/short_names.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {

// Shows a strip for each lane, with a loop as its first iteration, and the longest events.
std::string timeline_view(const StepPrediction& p, const ViewOptions& options) {
  double end = 0;
  for (const TimelineEvent& event : p.timeline) end = std::max(end, event.end);
  if (end <= 0) return "Timeline: nothing runs\n";
  const std::size_t width = options.width > 0 ? options.width : 80;
  const std::size_t columns = width > 24 ? width - 16 : 40;
  std::string out =
      "Timeline, " + format_seconds(end) + "; loops by their first iteration (# busy, + partly, w wait)\n";
  for (int l = 0; l < kLaneCount; ++l) {
    const auto lane = static_cast<Lane>(l);
    std::vector<double> busy(columns, 0);
    std::vector<double> waits(columns, 0);
    bool any = false;
    for (const TimelineEvent& event : p.timeline) {
      if (event.lane != lane) continue;
      any = true;
      const double from = event.begin / end * static_cast<double>(columns);
      const double to = event.end / end * static_cast<double>(columns);
      for (auto c = static_cast<std::size_t>(from); c < columns && static_cast<double>(c) < to; ++c) {
        (event.awaited.valid() ? waits : busy)[c] +=
            std::min(to, static_cast<double>(c + 1)) - std::max(from, static_cast<double>(c));
      }
    }
    if (!any) continue;
    out += absl::StrFormat("  %-10s  ", std::string(to_string(lane, p.family)));
    for (std::size_t c = 0; c < columns; ++c) {
      out += waits[c] > 0.05 && waits[c] >= busy[c] ? 'w' : busy[c] > 0.66 ? '#' : busy[c] > 0.05 ? '+' : '.';
    }
    out += '\n';
  }

  std::map<std::uint32_t, const OpPrediction*> ops;
  for (const OpPrediction& op : p.ops) ops[op.id.index] = &op;
  std::vector<const TimelineEvent*> events;
  for (const TimelineEvent& event : p.timeline) {
    const auto op = ops.find(event.id.index);
    if (op != ops.end() && op->second->opcode != "while" && op->second->opcode != "call") events.push_back(&event);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](auto* a, auto* b) { return a->end - a->begin > b->end - b->begin; });
  if (options.rows.limit > 0 && events.size() > options.rows.limit) events.resize(options.rows.limit);
  std::stable_sort(events.begin(), events.end(), [](auto* a, auto* b) { return a->begin < b->begin; });
  const auto name = [&](const TimelineEvent& event) {
    if (!event.awaited.valid()) return ops[event.id.index]->name;
    const auto awaited = ops.find(event.awaited.index);
    return "wait for " + (awaited != ops.end() ? awaited->second->name : ops[event.id.index]->name);
  };
  const ShortNames names(p);
  Table table({{"begins", Align::kRight},
               {"takes", Align::kRight},
               {"runs", Align::kRight},
               {.title = "lane", .is_whole = true},
               {.title = "op", .names = &names}});
  for (const TimelineEvent* event : events) {
    table.add({format_seconds(event->begin), format_seconds(event->end - event->begin), format_count(event->executions),
               std::string(to_string(event->lane, p.family)), name(*event)});
  }
  return preformatted(std::move(out), options) + "\nLongest, in order\n" + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
