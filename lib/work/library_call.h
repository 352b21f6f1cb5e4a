// Computes the work of library calls from their operands and configs: attention and norms of cuDNN, sorts of CUB,
// factorizations of cuSOLVER and of libtpu, triangular solves, random bits. Matrix products and convolutions are in
// custom_call.cc.
#ifndef HLOROOF_LIB_WORK_LIBRARY_CALL_H_
#define HLOROOF_LIB_WORK_LIBRARY_CALL_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/work/custom_call.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

// Subtracts the bytes of the workspace from the bytes written. The workspace is a flat u8 or s8 array, the last result
// of a library call. The library uses only as much of it as it needs, mostly in cache.
void leave_out_workspace(InstructionView call, SizeCache& sizes, Work& work);

// Adds fused attention: scores, softmax and the product with the values, or their gradients. Returns false if the
// config does not state the number of scores.
bool add_attention(InstructionView call, bool is_backward, Work& work);

void add_norm(InstructionView call, SizeCache& sizes, Work& work);
void add_radix_sort(InstructionView call, SizeCache& sizes, Work& work);
void add_triangular_solve(InstructionView call, SizeCache& sizes, Work& work);
// A panel of columns of a factorization of libtpu, which factors one column after another.
void add_panel(InstructionView call, bool is_lu, Work& work);
void add_factorization(InstructionView call, CustomCallBehaviour behaviour, Work& work);
void add_random_bits(InstructionView call, SizeCache& sizes, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_LIBRARY_CALL_H_
