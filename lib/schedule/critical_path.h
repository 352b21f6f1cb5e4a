// The chain of things that made the step as long as it was: compute as it followed compute, and where a done had to
// wait, the transfer instead of what ran beside it.
#ifndef HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_
#define HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::inline v0 {

// What the compute stream did in one stretch of one iteration of a computation.
struct PathStep {
  InstructionId id;
  double begin = 0;
  double end = 0;
  double own = 0;          // seconds that are the instruction's own; less than end - begin where it calls others
  InstructionId transfer;  // what it waited for to the end of the stretch, if it did
  double transfer_begin = 0;
};

// One execution of a computation: its steps in order, and how often the computations that they call run within it.
struct PathRecord {
  double begin = 0;
  std::vector<PathStep> steps;
  std::vector<std::pair<InstructionId, std::pair<ComputationId, double>>> calls;
};

// Seconds of the step that each instruction stands on the critical path, by InstructionId; a transfer's are its
// start's. `records` is indexed by ComputationId, null for those not in `order`; callees come before their callers in
// `order`, the entry last.
std::vector<double> critical_seconds(const Module& module, const std::vector<ComputationId>& order,
                                     const std::vector<const PathRecord*>& records);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_CRITICAL_PATH_H_
