#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {
using namespace internal;

std::vector<InstructionId> post_order(InstructionView root) {
  const Module& module = root.module();
  std::vector<InstructionId> order;
  std::vector<bool> seen(module.instruction_limit(), false);
  struct Open {
    InstructionId id;
    std::size_t next;  // operand
  };
  std::vector<Open> open = {{root.id(), 0}};
  seen[root.id().index] = true;
  while (!open.empty()) {
    Open& top = open.back();
    const absl::Span<const InstructionId> operands = module.instruction(top.id).operand_ids();
    if (top.next == operands.size()) {
      order.push_back(top.id);
      open.pop_back();
      continue;
    }
    const InstructionId operand = operands[top.next++];
    if (seen[operand.index]) continue;
    seen[operand.index] = true;
    open.push_back({operand, 0});
  }
  return order;
}

std::vector<ComputationId> called_by(ComputationView computation) {
  const Module& module = computation.module();
  std::vector<bool> called(module.computation_limit(), false);
  std::vector<ComputationId> open = {computation.id()};
  while (!open.empty()) {
    const ComputationId id = open.back();
    open.pop_back();
    for (InstructionView instruction : module.computation(id).instructions()) {
      for (ComputationId callee : instruction.called_computations()) {
        if (called[callee.index]) continue;
        called[callee.index] = true;
        open.push_back(callee);
      }
    }
  }
  // Callees precede callers in the module's order.
  std::vector<ComputationId> order;
  for (ComputationView at : module.computations()) {
    if (called[at.id().index]) order.push_back(at.id());
  }
  return order;
}

Users::Users(const Module& module) : begin_(module.instruction_limit()), end_(module.instruction_limit()) {
  std::uint32_t uses = 0;
  walk(module, [&](InstructionView instruction) {
    for (InstructionId operand : instruction.operand_ids()) ++end_[operand.index];
    uses += static_cast<std::uint32_t>(instruction.operand_count());
  });
  users_.resize(uses);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    begin_[i] = next;
    next += end_[i];
    end_[i] = begin_[i];
  }
  walk(module, [&](InstructionView instruction) {
    for (InstructionId operand : instruction.operand_ids()) {
      std::uint32_t& end = end_[operand.index];
      // The uses by one instruction are consecutive, so only the last entry can be a duplicate.
      if (end > begin_[operand.index] && users_[end - 1] == instruction.id()) continue;
      users_[end++] = instruction.id();
    }
  });
}

}  // namespace hloroof::inline v0
