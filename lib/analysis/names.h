// The names that profilers give instructions.
#ifndef HLOROOF_LIB_ANALYSIS_NAMES_H_
#define HLOROOF_LIB_ANALYSIS_NAMES_H_

#include <string>

#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// The category that profilers give a top-level instruction: "convolution fusion", "loop fusion", "all-reduce", "copy",
// "data formatting", "custom-call" and so on. Falls back to the opcode.
std::string op_category(InstructionView instruction);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_NAMES_H_
