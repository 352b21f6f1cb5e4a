// Counts the work of kernels without a body that are recognized by their shapes.
#ifndef HLOROOF_LIB_WORK_SHAPED_KERNEL_H_
#define HLOROOF_LIB_WORK_SHAPED_KERNEL_H_

#include <string>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/work/kernel_shapes.h"

namespace hloroof::internal::inline work {

// What a count rests on.
struct ShapedKernel {
  double least_share = 1;                // the least work that the shapes allow, as a share of what is counted
  std::vector<std::string> assumptions;  // sentences
};

// Adds the work of `call`, which has the shapes `shapes`. `work` must already hold the boundary bytes.
ShapedKernel add_shaped_kernel(InstructionView call, const KernelShapes& shapes, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_SHAPED_KERNEL_H_
