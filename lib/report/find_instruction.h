// An instruction by the name a user gives.
#ifndef HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_
#define HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// The instruction called `name`, with or without %. Names may repeat inside fused computations: the entry's come first.
// Errors: NotFound with the nearest names.
absl::StatusOr<InstructionView> find_instruction(const Module& module, std::string_view name);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_
