// Calls that share one piece of work.
#ifndef HLOROOF_LIB_KERNEL_TPU_PARTITION_H_
#define HLOROOF_LIB_KERNEL_TPU_PARTITION_H_

#include <vector>

#include "hloroof/module.h"

namespace hloroof::internal::inline kernel {

// The kernels that share the work of `call`, in order and with it; empty if there are none but it. Each call after the
// first takes the results of the one before as operands that it updates in place, all other arrays are the same for all
// of them, and their lists and numbers of integers come from a common source: one part of the rows is for the first
// call, another for the next.
std::vector<InstructionView> partition_of(InstructionView call);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_PARTITION_H_
