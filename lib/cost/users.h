// Who uses each instruction: the inverse of the operand lists.
#ifndef HLOROOF_LIB_COST_USERS_H_
#define HLOROOF_LIB_COST_USERS_H_

#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/span.h"

namespace hloroof::inline v0 {

// The users of every instruction of a module, in the order of their computation; one that uses it twice is listed once.
// Edits of the module make it stale.
class Users {
 public:
  explicit Users(const Module& module);

  Span<InstructionId> of(InstructionId id) const {
    return {users_.data() + begin_[id.index], end_[id.index] - begin_[id.index]};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> end_;
  std::vector<InstructionId> users_;
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_USERS_H_
