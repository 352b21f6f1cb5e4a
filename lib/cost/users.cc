#include "lib/cost/users.h"

namespace hloroof::inline v0 {

Users::Users(const Module& module) : begin_(module.instruction_limit()), end_(module.instruction_limit()) {
  std::uint32_t uses = 0;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      for (InstructionId operand : instruction.operand_ids()) ++end_[operand.index];
      uses += static_cast<std::uint32_t>(instruction.operand_count());
    }
  }
  users_.resize(uses);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < begin_.size(); ++i) {
    begin_[i] = next;
    next += end_[i];
    end_[i] = begin_[i];
  }
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      for (InstructionId operand : instruction.operand_ids()) {
        std::uint32_t& end = end_[operand.index];
        // Uses by one instruction come one after the other, so only the last listed can be the same.
        if (end > begin_[operand.index] && users_[end - 1] == instruction.id()) continue;
        users_[end++] = instruction.id();
      }
    }
  }
}

}  // namespace hloroof::inline v0
