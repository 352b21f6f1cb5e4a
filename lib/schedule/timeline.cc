#include "lib/schedule/timeline.h"

#include <algorithm>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/ir/rows.h"
#include "lib/schedule/critical_path.h"
#include "lib/schedule/replayer.h"

namespace hloroof::internal {
namespace {

// Returns the seconds that the condition of a loop runs before the body.
double condition_seconds(InstructionView loop, const Replayer& replayer) {
  double seconds = 0;
  for (ComputationView condition : loop.computations(AttributeKey::kCondition)) {
    for (const ReplayRecord::Stretch& stretch : replayer.record(condition.id()).first) {
      seconds = std::max(seconds, stretch.end);
    }
  }
  return seconds;
}

// Converts times relative to each computation to times relative to the step. A computation begins where its first
// caller begins, and the body of a loop begins after its condition.
std::vector<TimelineEvent> placed_events(const Module& module, const CallGraph& calls,
                                         const std::vector<double>& executions, const Replayer& replayer) {
  std::vector<double> offset(module.computation_limit(), 0);
  std::vector<bool> placed(module.computation_limit(), false);
  for (ComputationId id : calls.scheduled()) {
    for (InstructionId caller : calls.callers(id)) {
      const ComputationId outer = row_of(module, caller).computation;
      if (!placed[outer.index] || placed[id.index]) continue;
      offset[id.index] = offset[outer.index] + replayer.begin(caller);
      if (calls.role(id) == ComputationRole::kBody) {
        offset[id.index] += condition_seconds(module.instruction(caller), replayer);
      }
      placed[id.index] = true;
    }
    if (module.computation(id).is_entry()) placed[id.index] = true;
  }
  std::vector<TimelineEvent> events;
  for (ComputationView computation : module.computations()) {  // in replay order
    const ComputationId id = computation.id();
    if (!calls.is_scheduled(id) || !placed[id.index]) continue;
    if (executions[id.index] <= 0) continue;
    for (const ReplayRecord::Stretch& stretch : replayer.record(id).first) {
      events.push_back({stretch.id, stretch.lane, stretch.begin + offset[id.index], stretch.end + offset[id.index],
                        executions[id.index], stretch.awaited});
    }
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const TimelineEvent& a, const TimelineEvent& b) { return a.begin < b.begin; });
  return events;
}

}  // namespace

Timeline replay(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                const std::vector<Demand>& demands, const ListSchedule& schedule) {
  Replayer replayer(module, /*record=*/true);
  replayer.replay(calls, pairs, demands, schedule, {});
  Timeline timeline;
  timeline.executions = CallFacts::executions_with(calls, replayer.branches());
  replayer.add_up(calls, demands, timeline);
  std::vector<ComputationId> order;
  for (ComputationView computation : module.computations()) {
    if (calls.is_scheduled(computation.id())) order.push_back(computation.id());
  }
  std::vector<const PathRecord*> paths(module.computation_limit(), nullptr);
  for (ComputationId id : order) paths[id.index] = &replayer.record(id).last;
  timeline.critical = critical_seconds(module, order, paths);
  timeline.events = placed_events(module, calls, timeline.executions, replayer);
  return timeline;
}

double replayed_seconds(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                        const std::vector<Demand>& demands, const ListSchedule& schedule) {
  Replayer replayer(module, /*record=*/false);
  replayer.replay(calls, pairs, demands, schedule, {});
  return replayer.seconds();
}

}  // namespace hloroof::internal
