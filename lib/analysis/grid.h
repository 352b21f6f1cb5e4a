// Grids of device ids. A grid is a set of ids of the form base plus all combinations of a few strides.
//
// The replica groups of real programs are grids, because they are axes of a mesh. Stored as strides, they take the same
// space for eight devices and for a million.
#ifndef HLOROOF_LIB_ANALYSIS_GRID_H_
#define HLOROOF_LIB_ANALYSIS_GRID_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"

namespace hloroof::internal::inline analysis {

// An enumeration of ids. Write the position as a mixed-radix number whose digits have the sizes of the axes, the first
// being the most significant. The id is the sum of digit times stride.
using Grid = std::vector<GridAxis>;

// The number of devices; nullopt on overflow.
std::optional<std::int64_t> grid_size(absl::Span<const GridAxis> grid);

// The order of ids in `[...]<=[reshape]T(permutation)`: iota over `reshape`, transposed. An empty permutation is the
// identity. nullopt if `permutation` is invalid, a size is below 1, or the product overflows.
std::optional<Grid> iota_grid(absl::Span<const std::int64_t> reshape, absl::Span<const std::int64_t> permutation);

// Splits an enumeration into runs of `inner` positions. Returns the grid of the bases and the grid of one run. nullopt
// if the runs are not grids, which happens if a run boundary does not divide an axis evenly.
std::optional<std::pair<Grid, Grid>> split_grid(const Grid& grid, std::int64_t inner);

// The grid of `ids` relative to the smallest; nullopt if they are not a grid. `ids` must be strictly ascending.
std::optional<Grid> grid_of(absl::Span<const std::int64_t> ids);

// Sorts by stride, largest first, drops axes of size one and merges contiguous axes: {4,8},{8,1} becomes {32,1}. This
// keeps the set of ids but not their order.
Grid normalized(Grid grid);

// The ids of a grid in order, each plus `base`. The caller must ensure that the grid is small.
std::vector<std::int64_t> expand(const Grid& grid, std::int64_t base);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_GRID_H_
