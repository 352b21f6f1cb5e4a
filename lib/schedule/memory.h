// Memory use over the step: the live range of each buffer, the peak, and the buffers that are live at the peak.
#ifndef HLOROOF_LIB_SCHEDULE_MEMORY_H_
#define HLOROOF_LIB_SCHEDULE_MEMORY_H_

#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/schedule.h"
#include "lib/schedule/list_schedule.h"

namespace hloroof::internal::inline schedule {

// The bytes of HBM that are in use while an instruction runs.
struct MemoryLevel {
  InstructionId instruction;
  double bytes = 0;
};

struct MemoryAnalysis {
  MemoryPrediction prediction;
  std::vector<MemoryLevel> levels;  // in program order, callees before their caller; the largest is hbm_peak_bytes
  bool complete = true;             // false: too many buffers to track; only arguments, outputs and aliases are known
};

// Computes live ranges over the program in execution order, with each loop body once. A parameter of the entry is live
// for the whole program unless it is donated. A result is live from its definition to the last use of any value that
// shares its buffer. Loop state is live through the loop, and in VMEM while its value is needed. Sizes are padded.
// Fragmentation is not included, so the peak is a lower bound of the peak that a compiler reports. `schedule` is the
// order for a module without a schedule.
MemoryAnalysis analyze_memory(const Module& module, const CallGraph& calls, const Device& device,
                              const ListSchedule& schedule = {});

// Whether a program in the same order uses the same memory on two devices, whatever their capacities.
bool uses_same_memory(const Device& a, const Device& b);

// Sets the capacity, and whether the memory fits.
void set_capacity(const Device& device, MemoryPrediction& memory);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_MEMORY_H_
