// Going through a module: users, post order, called computations.
//
//   Users users(module);
//   for (InstructionView i : post_order(module.entry().root())) {            // operands before what uses them
//     for (InstructionView user : users.of(i)) ...
//   }
//   walk(module, [&](InstructionView i) { dots += i.opcode() == Opcode::kDot; });
//   for (ComputationView c : called_by(module.entry())) ...                   // directly or not, callees first
//
// Everything here reads; what it returns holds until the module is edited (ModuleEditor::users() keeps up).
#ifndef HLOROOF_WALK_H_
#define HLOROOF_WALK_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/ids.h"
#include "hloroof/module.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

// Who uses each instruction: the inverse of the operand lists. Takes time in proportion to the module to make.
class Users {
 public:
  explicit Users(const Module& module);

  // In the order of their computation; one that uses it twice is listed once.
  Span<InstructionId> of(InstructionId id) const {
    return {users_.data() + begin_[id.index], end_[id.index] - begin_[id.index]};
  }
  ViewRange<InstructionView, InstructionId> of(InstructionView instruction) const {
    return {&instruction.module(), of(instruction.id())};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> end_;
  std::vector<InstructionId> users_;
};

// Views of a list of ids that the range owns.
template <typename View, typename Id>
class ViewList {
 public:
  ViewList(const Module* module, std::vector<Id> ids) : module_(module), ids_(std::move(ids)) {}
  auto begin() const { return ViewRange<View, Id>(module_, ids_).begin(); }
  auto end() const { return ViewRange<View, Id>(module_, ids_).end(); }
  std::size_t size() const { return ids_.size(); }
  bool empty() const { return ids_.empty(); }
  View operator[](std::size_t i) const { return View(module_, ids_[i]); }
  const std::vector<Id>& ids() const { return ids_; }

 private:
  const Module* module_;
  std::vector<Id> ids_;
};

// `root` and all it needs, each once and after its operands; what a computation holds beside that is left out.
ViewList<InstructionView, InstructionId> post_order(InstructionView root);

// The computations that `computation` calls, directly or not, each once and after those that it calls.
ViewList<ComputationView, ComputationId> called_by(ComputationView computation);

// Calls `visit(InstructionView)` for every instruction of the module: computations before those that call them,
// operands before what uses them.
template <typename Visit>
void walk(const Module& module, Visit&& visit) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) visit(instruction);
  }
}

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_WALK_H_
