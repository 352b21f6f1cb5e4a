// Reads the kernel of a custom call and follows it over its grid.
#ifndef HLOROOF_LIB_KERNEL_TPU_READ_KERNEL_H_
#define HLOROOF_LIB_KERNEL_TPU_READ_KERNEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/kernel/tpu/given_lists.h"
#include "lib/kernel/tpu/kernel_run.h"

namespace hloroof::internal::inline kernel {

struct ReadKernelOptions {
  // The most instructions that are followed; nullopt: as many as the arrays of the call justify, see instruction_limit.
  std::optional<std::int64_t> most_instructions;
  std::vector<GivenList> lists;  // of this and other kernels
  bool is_idle = false;          // its loops that data end do not run
};

// The instructions of a kernel that are worth following: a million, which takes some milliseconds, and one for each 20
// bytes of its arrays. Of 300 kernels for TPUs, none runs more than one for each 80 bytes and the longest 79 million; a
// body that runs more is malformed, or waits for data in a loop.
std::int64_t instruction_limit(InstructionView call);

// `call` is a custom call with the target tpu_custom_call. Errors: NotFound if the text has no body in MLIR bytecode,
// InvalidArgument if the body is malformed, ResourceExhausted if its grid is too large to be followed. A body whose
// code cannot be followed gives a run with a `failure`, which has the grid and the transfers of the windows and nothing
// else.
absl::StatusOr<KernelRun> read_kernel(InstructionView call, const ReadKernelOptions& options = {});

// All that read_kernel() reads of a call and the options, as bytes: what has the same inputs has the same run.
std::string kernel_inputs(InstructionView call, const ReadKernelOptions& options = {});

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_READ_KERNEL_H_
