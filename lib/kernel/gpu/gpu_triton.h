// Kernels in Triton's dialect: each program instance runs operations on tiles. Pallas writes them as MLIR bytecode.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_TRITON_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_TRITON_H_

#include "absl/status/statusor.h"
#include "lib/kernel/gpu/gpu_work.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

struct TritonLaunch {
  GpuGrid grid = {1, 1, 1};
  std::int64_t warps = 0;
};

// Arithmetic on indices counts only where its result is compared or computed with: addresses cost nothing, since the
// compiler reduces them to an addition for each load. Values that repeat along a dimension of their tile are computed
// once along it. An addition takes the product that feeds it along, and the matrix unit the addition to its result.
//
// Errors: InvalidArgument if the module has no function with a body, or control flow that is not structured;
// ResourceExhausted if its loops cannot be counted.
absl::StatusOr<GpuKernelWork> triton_work(const mlir::Module& kernel, const TritonLaunch& launch);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_TRITON_H_
