#include "lib/schedule/occupancy.h"

#include <algorithm>

namespace hloroof::internal::inline schedule {

std::vector<Occupancy::Interval> Occupancy::intervals(BufferId buffer) const {
  std::vector<Interval> intervals;
  const auto found = events_.find(buffer);
  if (found == events_.end()) return intervals;
  std::vector<Event> events = found->second;
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    return !a.writes && b.writes;  // an instruction reads before it writes
  });
  for (const Event& event : events) {
    if (intervals.empty() || event.writes) {
      intervals.push_back({event.at, event.at});
    } else {
      intervals.back().end = event.at;
    }
  }
  return intervals;
}

}  // namespace hloroof::internal::inline schedule
