// Which orders of a scheduled module are legal, and edits of the order that keep them so.
//
//   absl::StatusOr<OrderRules> rules = find_order_rules(module);
//   if (rules.ok() && rules->may_pass(start, product)) ...
//   absl::Status status = move_before(edit, *rules, start, product);     // with what must go along
//   status = set_order(edit, *rules, computation, order);
//
// ModuleEditor keeps operands before their users, and control edges. That is not enough in a schedule: values share
// memory, and all devices must run their collectives in the same order.
#ifndef HLOROOF_ORDER_H_
#define HLOROOF_ORDER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// The pairs of instructions that every legal order keeps. The tables are indexed by InstructionId. They hold for the
// order in which the module came, and stay valid while its instructions only move. Nothing is known about an
// instruction that was added later: it passes none, and none passes it.
struct OrderRules {
  std::vector<std::vector<InstructionId>> before;  // instructions of the same computation that must precede this one
  std::vector<std::vector<InstructionId>> after;   // the converse
  std::vector<bool> is_fixed;                      // neither moves nor lets others pass: parameters and roots
  std::vector<std::vector<InstructionId>> starts;  // of a done: the starts of the transfers that it may wait for

  // Whether every legal order has `first` before `second`, directly or because of what is between them. Takes time in
  // proportion to what must precede `second`. False for one instruction, and for those of two computations.
  bool must_precede(InstructionId first, InstructionId second) const;
  // Whether some legal order has the two instructions of one computation the other way round.
  bool may_pass(InstructionId one, InstructionId other) const;
};

// Finds the rules of all computations that the schedule orders:
// - operands, and control predecessors;
// - whatever writes a buffer stays after what read or wrote the buffer before it, because other values may share it;
// - collectives, their starts, and calls of computations that contain some keep their order, which must be the same on
//   all devices;
// - whatever communicates with the host or has side effects keeps its order.
// A copy that the previous step issues is fixed. Errors: InvalidArgument if the module is not scheduled; Unimplemented
// if it has too many values to follow.
absl::StatusOr<OrderRules> find_order_rules(const Module& module);

// The instructions that move if `id` moves to the place before `before`: itself and those in between that must go
// along, in the order of the module. Errors: InvalidArgument if they are not of one computation, or if no legal move
// leads there: something in between is fixed, or `before` would have to go along.
absl::StatusOr<std::vector<InstructionId>> moved_along(const Module& module, const OrderRules& rules, InstructionId id,
                                                       InstructionId before);

// Moves them. Errors: those of moved_along().
absl::Status move_before(ModuleEditor& edit, const OrderRules& rules, InstructionId id, InstructionId before);

// Brings a computation into an order, which lists each of its instructions once. A failing edit changes nothing.
// Errors: InvalidArgument if it does not, or breaks a rule; the message names the pair.
absl::Status set_order(ModuleEditor& edit, const OrderRules& rules, ComputationId computation,
                       absl::Span<const InstructionId> order);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ORDER_H_
