// Constants with other values.
#ifndef HLOROOF_LIB_SCALE_CONSTANTS_H_
#define HLOROOF_LIB_SCALE_CONSTANTS_H_

#include <string_view>

#include "absl/status/status.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

// Replaces a constant by one of the same shape with the values `literal`, for all users.
inline absl::Status replace_constant(ModuleEditor& edit, InstructionId constant, std::string_view literal) {
  NewInstruction made;
  made.opcode = Opcode::kConstant;
  made.shape_id = edit.module().instruction(constant).shape_id();
  made.literal = std::string(literal);
  const absl::StatusOr<InstructionId> other = edit.insert_before(constant, made);
  if (!other.ok()) return other.status();
  if (absl::Status status = edit.replace_all_uses(constant, *other); !status.ok()) return status;
  return edit.erase(constant);
}

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_CONSTANTS_H_
