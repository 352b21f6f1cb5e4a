// Orders in which passes visit instructions and computations.
#ifndef HLOROOF_LIB_IR_WALK_H_
#define HLOROOF_LIB_IR_WALK_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline ir {

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

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_WALK_H_
