// Errors at an instruction.
#ifndef HLOROOF_LIB_SCALE_PLACED_ERROR_H_
#define HLOROOF_LIB_SCALE_PLACED_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

// InvalidArgument "file:line:column: error: OPCODE NAME cannot be scaled: WHY", with the line of the text.
absl::Status placed_error(InstructionView at, std::string_view why);

// The end of an error at what a compiler is known or likely to do in another way.
inline constexpr char kGoOn[] = ". To go on nevertheless, take the form of the given program (--as-given)";

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_PLACED_ERROR_H_
