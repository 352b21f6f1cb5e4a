// Reads the kernel of a custom call and follows it over its grid.
#ifndef HLOROOF_LIB_KERNEL_READ_KERNEL_H_
#define HLOROOF_LIB_KERNEL_READ_KERNEL_H_

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/kernel/kernel_run.h"
#include "lib/kernel/machine.h"

namespace hloroof::internal {

// `call` is a custom call with the target tpu_custom_call. Errors: NotFound if the text has no body in MLIR bytecode,
// InvalidArgument if the body is malformed, ResourceExhausted if it runs too long to be followed.
absl::StatusOr<KernelRun> read_kernel(InstructionView call, UnknownBranches branches = UnknownBranches::kExpected);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_READ_KERNEL_H_
