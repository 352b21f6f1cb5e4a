// Computes the work of well-known Pallas kernels of JAX whose calls state no cost, from the shapes of their operands.
#ifndef HLOROOF_LIB_COST_PALLAS_KERNELS_H_
#define HLOROOF_LIB_COST_PALLAS_KERNELS_H_

#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// Adds the arithmetic of a kernel of pallas_kernels.def to `work`, which already holds the bytes of its boundary.
// Subtracts the unread bytes of arrays that hold more than the kernel reads. Returns false if `call` is not such a
// kernel, or does not have its operands. Values that depend on data (masks, lengths of sequences) are assumed, and the
// source says so.
bool add_pallas_kernel(InstructionView call, Work& work);

// Returns true if `name` contains the name of a kernel of pallas_kernels.def for the backward pass of attention.
bool names_backward_kernel(std::string_view name);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_COST_PALLAS_KERNELS_H_
