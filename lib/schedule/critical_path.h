// The critical path is the chain of work that determines the length of the step. It follows the compute stream. Where a
// done had to wait, it follows the transfer instead of the compute that overlapped the transfer.
#ifndef HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_
#define HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_

#include <utility>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline schedule {

// One interval of the compute stream within one iteration of a computation.
struct PathStep {
  InstructionId id;
  double begin = 0;
  double end = 0;
  double own = 0;          // seconds spent in the instruction itself, without the computations that it calls
  InstructionId transfer;  // the transfer that it waited for until `end`, if any
  double transfer_begin = 0;
};

// One execution of a computation: its steps in order, and how often each called computation runs within it.
struct PathRecord {
  double begin = 0;
  std::vector<PathStep> steps;
  std::vector<std::pair<InstructionId, std::pair<ComputationId, double>>> calls;
};

// Returns the seconds that each instruction contributes to the critical path of the step, by InstructionId. The seconds
// of a transfer are charged to its start. `records` is indexed by ComputationId and is null for computations not in
// `order`. In `order`, callees come before their callers and the entry comes last.
std::vector<double> critical_seconds(const Module& module, const std::vector<ComputationId>& order,
                                     const std::vector<const PathRecord*>& records);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_
