// Where the instructions of one computation stand in a list of them.
#ifndef HLOROOF_LIB_WORK_POSITIONS_H_
#define HLOROOF_LIB_WORK_POSITIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline work {

// A table by InstructionId that starts at the lowest id of the list. The parser gives the instructions of a computation
// ids that follow one another, so that a computation takes a short table, whatever the size of the module.
class Positions {
 public:
  // Replaces the list.
  void assign(const std::vector<InstructionView>& list) {
    if (list.empty()) return;
    const auto is_lower = [](InstructionView a, InstructionView b) { return a.id().index < b.id().index; };
    const auto [first, last] = std::minmax_element(list.begin(), list.end(), is_lower);
    first_ = first->id().index;
    table_.resize(std::max<std::size_t>(table_.size(), last->id().index - first_ + 1));
    for (std::size_t i = 0; i < list.size(); ++i) table_[list[i].id().index - first_] = static_cast<std::uint32_t>(i);
  }

  // The index of an instruction of the list.
  std::uint32_t operator[](InstructionId id) const { return table_[id.index - first_]; }

 private:
  std::vector<std::uint32_t> table_;
  std::uint32_t first_ = 0;
};

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_POSITIONS_H_
