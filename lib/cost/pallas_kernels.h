// Well-known Pallas kernels of JAX whose calls state no cost: their work from the shapes of their operands.
#ifndef HLOROOF_LIB_COST_PALLAS_KERNELS_H_
#define HLOROOF_LIB_COST_PALLAS_KERNELS_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// Adds the arithmetic of a kernel of pallas_kernels.def to `work`, which holds the bytes of its boundary, and takes off
// what is not read of arrays that hold more than the kernel looks at. False if `call` is no such kernel, or has not the
// operands of one. What depends on data (masks, lengths of sequences) is assumed, and the source says so.
bool add_pallas_kernel(InstructionView call, Work& work);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_PALLAS_KERNELS_H_
