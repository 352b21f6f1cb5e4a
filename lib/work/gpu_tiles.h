// What a fusion for a GPU does with the tiles that the compiler chose for it, beside moving its bytes.
#ifndef HLOROOF_LIB_WORK_GPU_TILES_H_
#define HLOROOF_LIB_WORK_GPU_TILES_H_

#include "hloroof/cost.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline work {

// Adds the blocks of threads and the exchanged elements of a fusion whose `block_level_fusion_config` states the tile
// of its first result. Does nothing for any other fusion, and for products, whose blocks lib/time has.
//
// A block that reduces the rows of a tile, and stores the tile as well, holds it in registers meanwhile.
//
// Triton gives each dimension of a tile to a number of threads. A reduction along a row works best if the threads that
// loaded the row hold it. Triton keeps them so for tiles of two dimensions; XLA drops dimensions of one from a tile to
// get there, but not those that lie between two others (triton-xla-squeeze-dims). The reduction then has threads of its
// own choice, and the tile passes to them through shared memory, once for all reductions of the fusion, and once more
// for each of them if the tile itself is stored. Seen in the code that XLA of JAX 0.11.2 makes for an H100: of the
// fusions of tests/accuracy/h100, those with such a tile have a `ttg.convert_layout` of the whole tile.
void add_gpu_tiles(InstructionView fusion, ComputationId fused, Work& work);

// Adds the blocks of threads of a fusion for a GPU that is a loop over the elements of its result (`kind=kLoop`, see
// Work::thread_elements) or a concatenation of four arrays at most. A block has 128 threads. Each computes four
// neighbours, or as many of them as divide the elements of the result. Those of a concatenation copy neighbours of
// every operand, which divide the rows of all of them; the blocks are those of the largest. Does nothing for other
// fusions. tests/accuracy/h100/blocks.py compares with what XLA of JAX 0.10.2 compiles for an H100. A block takes 0.6
// ns to start there: one thread for each element takes as long in bf16 as in f32 (x_roll of tests/accuracy/h100).
void add_thread_blocks(InstructionView fusion, ComputationId fused, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_GPU_TILES_H_
