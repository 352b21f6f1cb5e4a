// Replays the whole step at once: the results of replayer.h, the critical path, and the events of the timeline.
#ifndef HLOROOF_LIB_SCHEDULE_TIMELINE_H_
#define HLOROOF_LIB_SCHEDULE_TIMELINE_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/schedule.h"
#include "lib/base/paged_table.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/demand.h"
#include "lib/schedule/list_schedule.h"
#include "lib/schedule/replayer.h"

namespace hloroof::internal::inline schedule {

// The iterations of a loop after the first: the next ones with their events, at most kRecordedIterations - 1, and then
// the rest without. A loop inside has its own LoopRest for the first iteration of the outer one only, so that there are
// at most kRecordedIterations times as many events as instructions.
struct LoopRest {
  InstructionId loop;
  std::vector<std::vector<TimelineEvent>> iterations;  // transfers come last
  double rest_begin = 0;
  double rest_end = 0;
  double rest = 0;  // number of iterations in `rest_begin` .. `rest_end`
};

struct Timeline : ReplaySums {         // the exposed seconds add up to `seconds`
  std::vector<Wait> waits;             // all_waits() of the sums
  std::vector<double> critical;        // by InstructionId: seconds on the critical path; see critical_path.h
  std::vector<TimelineEvent> events;   // sorted by beginning
  std::vector<LoopRest> loops;         // one for each loop that runs more than once
  std::vector<InstructionId> callers;  // by ComputationId: the instruction whose call the events show
};

// Replays `module`. `demands` is indexed by InstructionId. Each computation is replayed once, regardless of how many
// callers it has and how often they run it. A loop body is replayed until an iteration ends in the state in which it
// began, with the same transfers in flight. The last iteration then represents all later ones. If a caller has a
// transfer in flight when a loop begins, the transfer shares the resources with the average load of the loop.
//
// A conditional takes its branches with the probabilities in `calls`. If there are none, it takes its slowest branch.
//
// A module without a schedule runs in the order of `schedule`. That also lists the waits for transfers that have no
// done. The time that an instruction waits for such a transfer is exposed time of the transfer.
Timeline replay(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                const PagedTable<Demand>& demands, const ListSchedule& schedule = {});

// Returns only Timeline::seconds.
double replayed_seconds(const Module& module, const CallGraph& calls, const AsyncPairs& pairs,
                        const PagedTable<Demand>& demands, const ListSchedule& schedule = {});

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_TIMELINE_H_
