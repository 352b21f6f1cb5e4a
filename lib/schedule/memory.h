// Memory over the step: which buffers are live when, what the peak is and what is live there.
#ifndef HLOROOF_LIB_SCHEDULE_MEMORY_H_
#define HLOROOF_LIB_SCHEDULE_MEMORY_H_

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/schedule/list_schedule.h"

namespace hloroof::inline v0 {

struct MemoryAnalysis {
  MemoryPrediction prediction;
  bool complete = true;  // false: too many buffers to follow; only arguments, outputs and aliases are known
};

// Live ranges over the program in the order in which it runs, loop bodies once: a parameter of the entry is live all
// the time unless it is donated, a result from its definition to the last use of anything that shares its buffer, the
// state of a loop through the loop. Sizes are padded. What an allocator loses to fragmentation is not in it, so the
// peak is a lower bound of what a compiler reports. `schedule` is the order of a module that has none of its own.
MemoryAnalysis analyze_memory(const Module& module, const CallGraph& calls, const Device& device,
                              const ListSchedule& schedule = {});

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_MEMORY_H_
