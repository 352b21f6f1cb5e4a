// The name of a Pallas kernel.
#ifndef HLOROOF_LIB_KERNEL_TPU_KERNEL_NAME_H_
#define HLOROOF_LIB_KERNEL_TPU_KERNEL_NAME_H_

#include <string>

#include "hloroof/module.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// The function that a kernel's module runs at each step of its grid: the first one whose name is not transform_N.
// Invalid if there is none.
mlir::OpId main_function(const mlir::Module& kernel);

// The name that the author gave the kernel. Current JAX names the main function after it. Older JAX calls the function
// "main" and names the module.
std::string kernel_name(const mlir::Module& kernel);

// The name of the kernel in the body of a tpu_custom_call. Empty if the body is missing, or is not MLIR bytecode. The
// name of the instruction plays no part.
std::string kernel_name(InstructionView custom_call);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_KERNEL_NAME_H_
