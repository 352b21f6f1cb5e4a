// The memory in use at each time of the timeline, for the plot of the page.
#ifndef HLOROOF_LIB_PAGE_MEMORY_OVER_TIME_H_
#define HLOROOF_LIB_PAGE_MEMORY_OVER_TIME_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "hloroof/module.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline page {

struct Interval {
  double begin = 0;
  double end = 0;
};

// The time of each instruction on the compute stream, by InstructionId. One that works and waits has an event for each.
absl::flat_hash_map<std::uint32_t, Interval> times_on_compute(const std::vector<TimelineEvent>& events);

struct MemoryOverTime {
  double seconds = 0;          // length of the timeline
  std::vector<double> levels;  // largest level of HBM in each of equal parts of `seconds`; empty if nothing runs
  double peak_seconds = 0;     // time at which the level is highest
  double peak_bytes = 0;
  InstructionId peak;  // the instruction that runs then
};

// Places the levels of the memory analysis on the timeline. The levels of a loop are those of its first iteration. The
// later iterations have the highest of them.
MemoryOverTime memory_over_time(const StepFacts& facts);

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_MEMORY_OVER_TIME_H_
