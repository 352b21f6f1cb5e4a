// Traversals of a module: users, post order, called computations.
//
//   Users users(module);
//   for (InstructionView i : post_order(module.entry().root())) {            // operands before users
//     for (InstructionView user : users.of(i)) ...
//   }
//   walk(module, [&](InstructionView i) { dots += i.opcode() == Opcode::kDot; });
//   for (ComputationView c : called_by(module.entry())) ...                   // directly or indirectly, callees first
//
// Lifetime: the results refer to the module, which must outlive them, and an edit makes them stale. Use
// ModuleEditor::users() for users that edits keep up to date.
//
// Threads: any number of threads may call these functions and read one result.
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

// The users of each instruction. The constructor takes time linear in the size of the module.
class Users {
 public:
  explicit Users(const Module& module);

  // The users of an instruction, in the order of their computation. A user that has it as two operands appears once.
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

// A range of views that owns its list of ids.
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

// `root` and the instructions that it depends on, each once and after its operands. Skips instructions of the
// computation that `root` does not depend on.
ViewList<InstructionView, InstructionId> post_order(InstructionView root);

// The computations that `computation` calls directly or indirectly, each once, callees before callers.
ViewList<ComputationView, ComputationId> called_by(ComputationView computation);

// Calls `visit(InstructionView)` for every instruction of the module: callees before callers, and operands before
// users.
template <typename Visit>
void walk(const Module& module, Visit&& visit) {
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) visit(instruction);
  }
}

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_WALK_H_
