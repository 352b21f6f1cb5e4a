// The pairs of instructions that every legal order keeps.
#ifndef HLOROOF_LIB_RESCHEDULE_CONSTRAINTS_H_
#define HLOROOF_LIB_RESCHEDULE_CONSTRAINTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline reschedule {

// The tables are indexed by InstructionId. The constraints hold for the order in which the module came, and stay valid
// while its instructions only move.
struct Constraints {
  std::vector<std::vector<InstructionId>> before;  // instructions of the same computation that must precede this one
  std::vector<std::vector<InstructionId>> after;   // the converse
  std::vector<bool> is_fixed;                      // neither moves nor lets others pass: parameters and roots
};

// Finds the constraints of all computations that the schedule orders:
// - operands, and control predecessors;
// - whatever writes a buffer stays after what read or wrote the buffer before it, because other values may share it;
// - collectives, their starts, and calls of computations that contain some keep their order, which must be the same on
//   all devices;
// - whatever communicates with the host or has side effects keeps its order.
// A copy that the previous step issues is fixed. Errors: Unimplemented if there are too many values to follow.
absl::StatusOr<Constraints> find_constraints(const StepFacts& facts);

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_CONSTRAINTS_H_
