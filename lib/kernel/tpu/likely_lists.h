// Lists as the callers of kernels make them: pairs of blocks of a mask, sizes and offsets of groups, visited tiles.
#ifndef HLOROOF_LIB_KERNEL_TPU_LIKELY_LISTS_H_
#define HLOROOF_LIB_KERNEL_TPU_LIKELY_LISTS_H_

#include <cstdint>
#include <vector>

namespace hloroof::internal::inline kernel {

// 0 .. extent - 1 in `size` steps that are as even as possible.
std::vector<std::int64_t> ramp(std::int64_t size, std::int64_t extent);

// Number of column blocks, of `columns`, that are visible to block row `row` under a causal mask. Blocks of rows
// and of columns are of one size if `are_equal`; otherwise both dimensions have the same length.
std::int64_t causal_columns(std::int64_t row, std::int64_t rows, std::int64_t columns, bool are_equal);

// Whether the causal mask leaves `size` of the blocks.
bool is_causal_size(std::int64_t size, std::int64_t rows, std::int64_t columns, bool are_equal);

// Whether `size` is the number of blocks that the causal mask leaves of the transpose, as in the gradient of keys,
// where rows of keys without a query are visited once, to clear their result.
bool has_rows_without_blocks(std::int64_t size, std::int64_t rows, std::int64_t columns);

// The blocks that a list of pairs names, row by row.
struct BlockPairs {
  std::vector<std::int64_t> outer;
  std::vector<std::int64_t> inner;
  std::int64_t visible_rows = 0;  // the blocks of the rows after these are visited and empty
};

// `size` pairs of `rows` x `columns`: those below the diagonal if there are that many, otherwise equally long rows
// around the diagonal.
BlockPairs block_pairs(std::int64_t size, std::int64_t rows, std::int64_t columns);

// The sizes of groups to which `total` rows are assigned independently and with equal probabilities.
std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t total);

std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& sizes);

// The tiles of rows that grouped products visit: each once for every group that has rows in it. The gradient also
// visits a tile for each empty group, to clear its result. As make_group_metadata of megablox
// (jax/experimental/pallas/ops/tpu/megablox/gmm.py).
struct TileVisits {
  std::vector<std::int64_t> groups;
  std::vector<std::int64_t> tiles;
};
TileVisits tile_visits(const std::vector<std::int64_t>& sizes, std::int64_t tile_rows, std::int64_t tiles,
                       bool visits_empty_groups);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_LIKELY_LISTS_H_
