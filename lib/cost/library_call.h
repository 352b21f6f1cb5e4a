// Calls of GPU libraries whose work follows from their operands and configs: attention and norms of cuDNN, sorts of
// CUB, factorizations of cuSOLVER, random bits. Matrix products and convolutions are in custom_call.cc.
#ifndef HLOROOF_LIB_COST_LIBRARY_CALL_H_
#define HLOROOF_LIB_COST_LIBRARY_CALL_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/cost/custom_call.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

// Takes the bytes of a workspace, the flat u8 or s8 array that ends a library call's results, off what it writes: the
// library uses what it needs of it, most of the time in cache.
void leave_out_workspace(InstructionView call, SizeCache& sizes, Work& work);

// Fused attention: scores, softmax and the product with the values, or their gradients; false if the config does not
// say how many scores there are.
bool add_attention(InstructionView call, bool is_backward, Work& work);

void add_norm(InstructionView call, SizeCache& sizes, Work& work);
void add_radix_sort(InstructionView call, SizeCache& sizes, Work& work);
void add_factorization(InstructionView call, CustomCallBehaviour behaviour, Work& work);
void add_random_bits(InstructionView call, SizeCache& sizes, Work& work);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_LIBRARY_CALL_H_
