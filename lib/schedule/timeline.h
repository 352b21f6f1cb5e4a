// The whole step in one go: what replayer.h works out, with the critical path and the events of the timeline.
#ifndef HLOROOF_LIB_SCHEDULE_TIMELINE_H_
#define HLOROOF_LIB_SCHEDULE_TIMELINE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/predict.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/demand.h"
#include "lib/schedule/list_schedule.h"
#include "lib/schedule/replayer.h"

namespace hloroof::inline v0 {

struct Timeline : ReplaySums {        // the exposed seconds add up to `seconds`
  std::vector<double> critical;       // by InstructionId: seconds of the step it stands on the critical path; see
                                      // critical_path.h
  std::vector<TimelineEvent> events;  // in order of beginning
};

// Replays `module`. `demands` is indexed by InstructionId. A computation is replayed once whatever calls it and however
// often: a loop body until an iteration ends as it began, with the same transfers under way, and the last iteration
// then stands for all that follow. A transfer that a caller has under way when a loop begins shares the resources with
// the loop's average load.
//
// A conditional takes the branches with the probabilities in `branch_probabilities`, by its index; one that is not
// there takes its slowest branch, and `calls` is told so.
//
// A module without a schedule of its own runs in the order of `schedule`, which also says where transfers end that have
// no done: what they make an instruction wait is exposed time of the transfer.
Timeline replay(const Module& module, CallGraph& calls, const AsyncPairs& pairs, const std::vector<Demand>& demands,
                const std::map<std::uint32_t, std::vector<double>>& branch_probabilities = {},
                const ListSchedule& schedule = {});

// Timeline::seconds alone.
double replayed_seconds(const Module& module, CallGraph calls, const AsyncPairs& pairs,
                        const std::vector<Demand>& demands,
                        const std::map<std::uint32_t, std::vector<double>>& branch_probabilities = {},
                        const ListSchedule& schedule = {});

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_TIMELINE_H_
