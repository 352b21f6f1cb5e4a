// Grids of device ids: sets of ids that are a base plus all combinations of a few strides, and partitions into such
// sets.
//
// Replica groups of real programs are grids, because they are the axes of a mesh. Kept as strides they cost the same
// for eight devices and for a million.
#ifndef HLOROOF_LIB_ANALYSIS_GRID_H_
#define HLOROOF_LIB_ANALYSIS_GRID_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hloroof/mesh.h"
#include "hloroof/span.h"

namespace hloroof::inline v0 {

// An enumeration of ids: position p, read as a number with the digits of `axes` (first the most significant), stands
// for the sum of digit times stride.
using Grid = std::vector<GridAxis>;

// Devices of the grid; empty if beyond int64.
std::optional<std::int64_t> grid_size(Span<GridAxis> grid);

// The order of ids that `[...]<=[reshape]T(permutation)` gives: iota over `reshape`, transposed. An empty permutation
// leaves the order alone. Empty if the permutation is none, a size is below 1, or the product is beyond int64.
std::optional<Grid> iota_grid(Span<std::int64_t> reshape, Span<std::int64_t> permutation);

// Cuts an enumeration into runs of `inner` positions: the grid of the bases and that of one run. Empty if no run is a
// grid, which is when `inner` cuts through an axis unevenly.
std::optional<std::pair<Grid, Grid>> split_grid(const Grid& grid, std::int64_t inner);

// The grid whose ids, less the smallest, are `ids`; empty if they are none. `ids` ascend strictly.
std::optional<Grid> grid_of(Span<std::int64_t> ids);

// Sorts by stride, largest first, drops axes of one and merges what continues: {4,8},{8,1} is {32,1}. The set of ids
// stays, the order in which they are enumerated does not.
Grid normalized(Grid grid);

// The ids of a grid in its order, the base added. The caller knows it is small.
std::vector<std::int64_t> expand(const Grid& grid, std::int64_t base);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_GRID_H_
