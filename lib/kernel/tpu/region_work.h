// The work of one operation of a kernel.
#ifndef HLOROOF_LIB_KERNEL_TPU_REGION_WORK_H_
#define HLOROOF_LIB_KERNEL_TPU_REGION_WORK_H_

#include "lib/kernel/common/kernel_type.h"
#include "lib/kernel/tpu/kernel_op.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/kernel/tpu/vector_sizes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// Adds the work of `op`, whose row is `row`. Operations with regions have no work of their own.
void add_op_work(const mlir::Module& module, const KernelTypes& types, const VectorSizes& sizes, mlir::OpId op,
                 const KernelOp& row, RegionWork& work);

// A measure of work, in vector operations, by which branches and calls are compared where the text does not say which
// of them runs.
double weight_of(const RegionWork& work);
double weight_of(const KernelRun& run);

// Whether there is nothing to do.
bool is_empty(const RegionWork& work);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_REGION_WORK_H_
