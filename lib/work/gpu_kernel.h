// The work of kernels that a user wrote for a GPU, from their bodies in the backend_config of the call.
#ifndef HLOROOF_LIB_WORK_GPU_KERNEL_H_
#define HLOROOF_LIB_WORK_GPU_KERNEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/kernel/gpu/gpu_work.h"

namespace hloroof::internal::inline work {

// The kernel that `call` launches. Errors: NotFound if the call carries no body for a GPU; InvalidArgument,
// ResourceExhausted if the body cannot be read.
absl::StatusOr<GpuKernelWork> read_gpu_kernel(InstructionView call);

// Adds the work of the kernel to `work`, which must hold the boundary bytes. A kernel reads no more of its operands
// than its tiles load, and writes no more of its results than they store. If branches depend on data, every result is
// assumed to be written once, and as much of the body to run as that takes; the source is then kAssumed.
//
// Does not change `work` and returns why if the whole body could not be read, or if loops depend on data.
absl::Status add_gpu_kernel(InstructionView call, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_GPU_KERNEL_H_
