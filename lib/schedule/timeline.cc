#include "lib/schedule/timeline.h"

#include <algorithm>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/ir/rows.h"
#include "lib/schedule/critical_path.h"
#include "lib/schedule/replayer.h"

namespace hloroof::internal::inline schedule {
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

// Converts times relative to each computation to times relative to the step.
class Placement {
 public:
  Placement(const Module& module, const CallGraph& calls, const PagedTable<Demand>& demands,
            const std::vector<double>& executions, const Replayer& replayer)
      : module_(module), calls_(calls), demands_(demands), executions_(executions), replayer_(replayer) {}

  // Places the events of each computation in its first execution. A computation begins where its first caller begins,
  // and the body of a loop begins after its condition.
  void place(Timeline& timeline) {
    offset_.assign(module_.computation_limit(), 0);
    std::vector<bool> placed(module_.computation_limit(), false);
    timeline.callers.assign(module_.computation_limit(), InstructionId());
    for (ComputationId id : CallFacts::scheduled(calls_)) {
      for (InstructionId caller : CallFacts::callers(calls_, id)) {
        const ComputationId outer = row_of(module_, caller).computation;
        if (!placed[outer.index] || placed[id.index]) continue;
        offset_[id.index] = offset_[outer.index] + replayer_.begin(caller);
        if (CallFacts::role(calls_, id) == ComputationRole::kBody) {
          offset_[id.index] += condition_seconds(module_.instruction(caller), replayer_);
        }
        placed[id.index] = true;
        timeline.callers[id.index] = caller;
      }
      if (module_.computation(id).is_entry()) placed[id.index] = true;
    }
    for (ComputationView computation : module_.computations()) {  // in replay order
      const ComputationId id = computation.id();
      if (!CallFacts::is_scheduled(calls_, id) || !placed[id.index]) continue;
      if (executions_[id.index] <= 0) continue;
      place_events(id, replayer_.record(id).first, offset_[id.index], timeline.events);
      if (CallFacts::role(calls_, id) == ComputationRole::kBody) place_rest(id, timeline);
    }
    std::stable_sort(timeline.events.begin(), timeline.events.end(),
                     [](const TimelineEvent& a, const TimelineEvent& b) { return a.begin < b.begin; });
  }

 private:
  void place_events(ComputationId id, const std::vector<ReplayRecord::Stretch>& from, double offset,
                    std::vector<TimelineEvent>& to) const {
    for (const ReplayRecord::Stretch& stretch : from) {
      to.push_back({stretch.id, stretch.lane, stretch.begin + offset, stretch.end + offset, executions_[id.index],
                    stretch.awaited});
    }
  }

  // Places the iterations of a body after the first. The loop checks its condition before each and after the last.
  void place_rest(ComputationId body, Timeline& timeline) const {
    const InstructionId loop = timeline.callers[body.index];
    const TripCount* trips = CallFacts::trip_count(calls_, loop);
    if (trips == nullptr || trips->value <= 1) return;
    const double checking = condition_seconds(module_.instruction(loop), replayer_);
    const double between = checking + demands_[loop.index].issue;
    const ReplayRecord& record = replayer_.record(body);
    const auto begin_of = [&](std::size_t iteration) {
      return offset_[body.index] + replayer_.iteration_begin(body, iteration) +
             static_cast<double>(iteration) * between;
    };
    LoopRest rest;
    rest.loop = loop;
    const auto count = static_cast<std::size_t>(trips->value);
    const std::size_t shown = std::min(count, kRecordedIterations);
    const auto place_condition = [&](std::size_t i) {
      for (ComputationView condition : module_.instruction(loop).computations(AttributeKey::kCondition)) {
        place_events(condition.id(), replayer_.record(condition.id()).first, begin_of(i) - checking,
                     rest.iterations.back());
      }
    };
    for (std::size_t i = 1; i < shown; ++i) {
      rest.iterations.emplace_back();
      place_condition(i);
      if (i <= record.later.size()) {
        const ReplayRecord::Iteration& iteration = record.later[i - 1];
        place_events(body, iteration.events, begin_of(i) - iteration.begin, rest.iterations.back());
      } else if (!record.later.empty()) {  // like the last replayed one
        const ReplayRecord::Iteration& iteration = record.later.back();
        place_events(body, iteration.events, begin_of(i) - iteration.begin, rest.iterations.back());
      } else {
        place_events(body, record.first, begin_of(i), rest.iterations.back());
      }
    }
    if (count == shown) place_condition(count);
    rest.rest = static_cast<double>(count - shown);
    rest.rest_begin = begin_of(shown);
    rest.rest_end = begin_of(count);
    timeline.loops.push_back(std::move(rest));
  }

  const Module& module_;
  const CallGraph& calls_;
  const PagedTable<Demand>& demands_;
  const std::vector<double>& executions_;
  const Replayer& replayer_;
  std::vector<double> offset_;  // by ComputationId
};

}  // namespace

Timeline replay(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                const PagedTable<Demand>& demands, const ListSchedule& schedule) {
  Replayer replayer(module, /*record=*/true);
  replayer.replay(calls, pairs, demands, schedule, {});
  Timeline timeline;
  timeline.executions = CallFacts::executions_with(calls, replayer.branches());
  replayer.add_up(calls, demands, timeline);
  timeline.waits = all_waits(timeline);
  std::vector<ComputationId> order;
  for (ComputationView computation : module.computations()) {
    if (CallFacts::is_scheduled(calls, computation.id())) order.push_back(computation.id());
  }
  std::vector<const PathRecord*> paths(module.computation_limit(), nullptr);
  for (ComputationId id : order) paths[id.index] = &replayer.record(id).last;
  timeline.critical = critical_seconds(module, order, paths);
  Placement(module, calls, demands, timeline.executions, replayer).place(timeline);
  return timeline;
}

double replayed_seconds(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                        const PagedTable<Demand>& demands, const ListSchedule& schedule) {
  Replayer replayer(module, /*record=*/false);
  replayer.replay(calls, pairs, demands, schedule, {});
  return replayer.seconds();
}

}  // namespace hloroof::internal::inline schedule
