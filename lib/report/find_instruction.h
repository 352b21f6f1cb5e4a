// Finds an instruction by the name that a user types.
#ifndef HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_
#define HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// Returns the instruction `name`, with or without %. Names may repeat inside fused computations; instructions of the
// entry have precedence. Errors: NotFound with the nearest names.
absl::StatusOr<InstructionView> find_instruction(const Module& module, std::string_view name);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_FIND_INSTRUCTION_H_
