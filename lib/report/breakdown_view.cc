#include <algorithm>
#include <cmath>
#include <string>

#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline report {

// A bar for each part of the breakdown. Parts below one percent of the step share the last line.
std::string breakdown_view(const StepPrediction& p, const ViewOptions& options) {
  if (p.step_seconds <= 0 || p.breakdown.empty()) return "Breakdown: the step takes no time\n";
  constexpr double kLeast = 0.01;
  constexpr double kBar = 30;  // characters of the longest bar
  const double most = p.breakdown.front().seconds;
  Table table(
      {{"share", Align::kRight}, {"time", Align::kRight}, {"", Align::kLeft}, {.title = "what", .is_whole = true}});
  const auto add = [&](double seconds, const std::string& name) {
    const auto length = static_cast<std::size_t>(std::lround(kBar * std::min(1.0, seconds / most)));
    table.add({format_percent(seconds / p.step_seconds), format_seconds(seconds), std::string(length, '#'), name});
  };
  double rest = 0;
  std::size_t count = 0;
  for (const BreakdownPart& part : p.breakdown) {
    if (part.seconds >= kLeast * p.step_seconds) {
      add(part.seconds, part.name);
    } else {
      rest += part.seconds;
      ++count;
    }
  }
  if (rest > 0) add(rest, count == 1 ? p.breakdown.back().name : format_others(count));
  table.add({"100.0 %", format_seconds(p.step_seconds), "", "the step"});
  return "Where the step goes: what the compute stream works on, or waits for\n" + table.to_string(options);
}

}  // namespace hloroof::internal::inline report
