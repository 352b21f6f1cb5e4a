// What matters of the instructions of each computation for some question, kept between edits.
#ifndef HLOROOF_LIB_ANALYSIS_LISTS_BY_COMPUTATION_H_
#define HLOROOF_LIB_ANALYSIS_LISTS_BY_COMPUTATION_H_

#include <cstddef>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// A search that reads these rows visits no instruction that has none. Not thread-safe.
template <typename Row>
class ListsByComputation {
 public:
  // `read` appends the rows of an instruction, which must depend on the instruction alone.
  explicit ListsByComputation(void (*read)(InstructionView, std::vector<Row>&)) : read_(read) {}

  // Returns the rows of a computation, in the order of its instructions. They are read from the module unless they are
  // known.
  const std::vector<Row>& of(ComputationView computation) {
    const std::size_t i = computation.id().index;
    if (i >= is_known_.size()) {
      is_known_.resize(computation.module().computation_limit(), false);
      lists_.resize(is_known_.size());
    }
    if (is_known_[i]) return lists_[i];
    is_known_[i] = true;
    lists_[i].clear();
    for (InstructionView instruction : computation.instructions()) read_(instruction, lists_[i]);
    return lists_[i];
  }

  // Call this when an instruction of a computation that has rows, now or before, is another one or in another place.
  void forget(ComputationId id) {
    if (id.index < is_known_.size()) is_known_[id.index] = false;
  }

  // Forgets the computations from this index on.
  void cut(std::size_t computation_limit) {
    if (computation_limit < is_known_.size()) is_known_.resize(computation_limit);
  }

 private:
  void (*read_)(InstructionView, std::vector<Row>&);
  std::vector<std::vector<Row>> lists_;  // by ComputationId
  std::vector<bool> is_known_;
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_LISTS_BY_COMPUTATION_H_
