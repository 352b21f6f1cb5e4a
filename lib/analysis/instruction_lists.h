// The instructions of each computation that matter for some question, kept between edits.
#ifndef HLOROOF_LIB_ANALYSIS_INSTRUCTION_LISTS_H_
#define HLOROOF_LIB_ANALYSIS_INSTRUCTION_LISTS_H_

#include <cstddef>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// Not thread-safe.
class InstructionLists {
 public:
  // `matters` must depend on the instruction alone.
  explicit InstructionLists(bool (*matters)(InstructionView)) : matters_(matters) {}

  // Returns those of a computation, in their order. They are read from the module unless they are known.
  const std::vector<InstructionId>& of(ComputationView computation) {
    const std::size_t i = computation.id().index;
    if (i >= is_known_.size()) {
      is_known_.resize(computation.module().computation_limit(), false);
      lists_.resize(is_known_.size());
    }
    if (is_known_[i]) return lists_[i];
    is_known_[i] = true;
    lists_[i].clear();
    for (InstructionView instruction : computation.instructions()) {
      if (matters_(instruction)) lists_[i].push_back(instruction.id());
    }
    return lists_[i];
  }

  // Call this when an instruction of a computation that matters, now or before, is another one or in another place.
  void forget(ComputationId id) {
    if (id.index < is_known_.size()) is_known_[id.index] = false;
  }

  // Forgets the computations from this index on.
  void cut(std::size_t computation_limit) {
    if (computation_limit < is_known_.size()) is_known_.resize(computation_limit);
  }

 private:
  bool (*matters_)(InstructionView);
  std::vector<std::vector<InstructionId>> lists_;  // by ComputationId
  std::vector<bool> is_known_;
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_INSTRUCTION_LISTS_H_
