// Reads the kernel of a custom call and follows it over its grid.
#ifndef HLOROOF_LIB_KERNEL_READ_KERNEL_H_
#define HLOROOF_LIB_KERNEL_READ_KERNEL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/kernel/given_lists.h"
#include "lib/kernel/kernel_run.h"
#include "lib/kernel/machine.h"

namespace hloroof::internal {

struct ReadKernelOptions {
  UnknownBranches branches = UnknownBranches::kExpected;
  std::int64_t most_instructions = 100'000'000;  // the largest kernels known take half of that, and a second
  std::vector<GivenList> lists;                  // of this and other kernels
};

// `call` is a custom call with the target tpu_custom_call. Errors: NotFound if the text has no body in MLIR bytecode,
// InvalidArgument if the body is malformed, ResourceExhausted if it runs too long to be followed.
absl::StatusOr<KernelRun> read_kernel(InstructionView call, const ReadKernelOptions& options = {});

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_READ_KERNEL_H_
