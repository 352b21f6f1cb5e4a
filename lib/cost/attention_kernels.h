// Attention kernels of JAX whose calls state no cost: their work from the shapes of their operands.
#ifndef HLOROOF_LIB_COST_ATTENTION_KERNELS_H_
#define HLOROOF_LIB_COST_ATTENTION_KERNELS_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// Adds the arithmetic of a kernel of attention_kernels.def. False if `call` is none, or has not the operands of one.
bool add_known_kernel(InstructionView call, Work& work);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_ATTENTION_KERNELS_H_
