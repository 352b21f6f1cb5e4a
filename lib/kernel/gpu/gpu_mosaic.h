// Kernels that Mosaic GPU lowered: programs for single threads, whose products and transfers are PTX.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_MOSAIC_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_MOSAIC_H_

#include "absl/status/statusor.h"
#include "lib/kernel/gpu/gpu_work.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// Only arithmetic on floating-point numbers and on vectors counts: integers of single threads are addresses, barriers
// and loop counters. The bytes of transfers are those that barriers wait for. `stored_bytes` is 0: not known.
//
// Errors: as triton_work(), and InvalidArgument if the module launches nothing, or a grid that is not constant.
absl::StatusOr<GpuKernelWork> mosaic_gpu_work(const mlir::Module& kernel);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_MOSAIC_H_
