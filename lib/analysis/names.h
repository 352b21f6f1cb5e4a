// The names that profilers give instructions.
#ifndef HLOROOF_LIB_ANALYSIS_NAMES_H_
#define HLOROOF_LIB_ANALYSIS_NAMES_H_

#include <string>
#include <string_view>

#include "hloroof/module.h"

namespace hloroof::internal {

// The category that profilers give a top-level instruction: "convolution fusion", "loop fusion", "all-reduce", "copy",
// "data formatting", "custom-call" and so on. Falls back to the opcode.
std::string op_category(InstructionView instruction);

// `op_name` with the numbers of layers, steps and copies replaced by "*", so that the same op of 80 layers has one key:
// "jit(f)/layers_17/mlp/dot_general" becomes "jit(f)/layers_*/mlp/dot_general".
std::string layer_key(std::string_view op_name);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_ANALYSIS_NAMES_H_
