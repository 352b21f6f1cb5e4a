// The blocks of queries and keys that an attention kernel without a body visits.
#ifndef HLOROOF_LIB_WORK_ATTENTION_BLOCKS_H_
#define HLOROOF_LIB_WORK_ATTENTION_BLOCKS_H_

#include <string>

#include "hloroof/module.h"
#include "lib/work/kernel_shapes.h"

namespace hloroof::internal::inline work {

struct AttentionBlocks {
  double queries = 1;      // blocks of queries
  double keys = 1;         // blocks of keys
  double key_parts = 1;    // parts of all blocks of keys that are computed on at a time
  double share = 1;        // of the pairs of blocks that are visited
  double least_share = 1;  // the least that `share` may be
  std::string assumption;  // a sentence; empty if the text gives the share
};

// Block sizes come from kernel_metadata, or else from the mask's grid of blocks.
AttentionBlocks attention_blocks(InstructionView call, const KernelShapes& shapes);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_ATTENTION_BLOCKS_H_
