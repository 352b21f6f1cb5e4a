// Contents of a kernel's scalar operands that the user states.
#ifndef HLOROOF_LIB_KERNEL_TPU_GIVEN_LISTS_H_
#define HLOROOF_LIB_KERNEL_TPU_GIVEN_LISTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline kernel {

struct GivenList {
  std::string kernel;   // the name that its author gave it, or that of the call
  std::string operand;  // the number of the call's operand, or kGroupSizes
  std::vector<std::int64_t> values;
};

// The list that grouped products take: the number of rows of each group.
inline constexpr std::string_view kGroupSizes = "group_sizes";

// Those of `lists` that are about `call`, whose author calls it `name`.
std::vector<GivenList> lists_of(InstructionView call, std::string_view name, const std::vector<GivenList>& lists);

// Errors: NotFound if the module has no kernel of a name, InvalidArgument if a kernel has no such list in SMEM, or the
// list has another length.
absl::Status check_given_lists(const Module& module, const std::vector<GivenList>& lists);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_GIVEN_LISTS_H_
