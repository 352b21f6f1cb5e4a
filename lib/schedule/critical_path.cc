#include "lib/schedule/critical_path.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>

namespace hloroof::internal::inline schedule {

std::vector<double> critical_seconds(const Module& module, const std::vector<ComputationId>& order,
                                     const std::vector<const PathRecord*>& records) {
  std::vector<double> critical(module.instruction_limit(), 0);
  std::vector<double> times(records.size(), 0);  // how often a computation runs on the path
  if (module.has_entry()) times[module.entry().id().index] = 1;
  for (std::size_t c = order.size(); c-- > 0;) {
    const PathRecord& record = *records[order[c].index];
    const double weight = times[order[c].index];
    if (weight <= 0) continue;
    std::unordered_set<std::uint32_t> on_path;
    double reached = record.steps.empty() ? 0 : record.steps.back().end;
    for (std::size_t i = record.steps.size(); i-- > 0;) {
      const PathStep& step = record.steps[i];
      // `reached` may be the beginning of a transfer on the path. Everything after it overlapped that transfer.
      const double end = std::min(step.end, reached);
      if (end <= step.begin) continue;
      if (step.transfer.valid() && end == step.end && step.transfer_begin < step.end) {
        // If an earlier iteration began the transfer, this iteration counts it only from its own beginning.
        const double from = std::max(step.transfer_begin, record.begin);
        critical[step.transfer.index] += weight * (end - from);
        reached = from;
        continue;
      }
      critical[step.id.index] += weight * std::min(step.own, end - step.begin);
      on_path.insert(step.id.index);
      reached = step.begin;
    }
    for (const auto& [caller, callee] : record.calls) {
      if (on_path.count(caller.index) != 0) times[callee.first.index] += weight * callee.second;
    }
  }
  return critical;
}

}  // namespace hloroof::internal::inline schedule
