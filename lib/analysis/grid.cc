#include "lib/analysis/grid.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "lib/analysis/saturating.h"

namespace hloroof::internal::inline analysis {
namespace {

// a * b for a, b >= 0; nullopt on overflow.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) return std::nullopt;
  return a * b;
}

}  // namespace

std::optional<std::int64_t> grid_size(absl::Span<const GridAxis> grid) {
  std::int64_t size = 1;
  for (const GridAxis& axis : grid) {
    const std::optional<std::int64_t> next = product(size, axis.size);
    if (!next) return std::nullopt;
    size = *next;
  }
  return size;
}

std::optional<Grid> iota_grid(absl::Span<const std::int64_t> reshape, absl::Span<const std::int64_t> permutation) {
  if (!permutation.empty() && permutation.size() != reshape.size()) return std::nullopt;
  Grid row_major(reshape.size());
  std::int64_t stride = 1;
  for (std::size_t i = reshape.size(); i-- > 0;) {
    if (reshape[i] < 1) return std::nullopt;
    row_major[i] = {reshape[i], stride};
    const std::optional<std::int64_t> next = product(stride, reshape[i]);
    if (!next) return std::nullopt;
    stride = *next;
  }
  if (permutation.empty()) return row_major;
  Grid grid;
  std::vector<bool> seen(reshape.size(), false);
  for (const std::int64_t p : permutation) {
    if (p < 0 || p >= static_cast<std::int64_t>(reshape.size()) || seen[p]) return std::nullopt;
    seen[p] = true;
    grid.push_back(row_major[p]);
  }
  return grid;
}

std::optional<std::pair<Grid, Grid>> split_grid(const Grid& grid, std::int64_t inner) {
  if (inner < 1) return std::nullopt;
  Grid bases = grid;
  Grid run;
  while (inner > 1 && !bases.empty()) {
    GridAxis& axis = bases.back();
    if (inner % axis.size == 0) {  // a run covers the whole axis
      run.insert(run.begin(), axis);
      inner /= axis.size;
      bases.pop_back();
      continue;
    }
    if (axis.size % inner != 0) return std::nullopt;
    run.insert(run.begin(), {inner, axis.stride});
    axis = {axis.size / inner, axis.stride * inner};
    inner = 1;
  }
  if (inner != 1) return std::nullopt;
  return std::make_pair(std::move(bases), std::move(run));
}

std::optional<Grid> grid_of(absl::Span<const std::int64_t> ids) {
  const std::int64_t count = static_cast<std::int64_t>(ids.size());
  if (count == 0 || ids[0] < 0) return std::nullopt;
  // Find the axes from the innermost outwards. The first id that the axes so far do not reach is the next stride. The
  // size of that axis is the number of consecutive multiples that are in the set.
  Grid grid;
  for (std::int64_t reached = 1; reached < count;) {
    const std::int64_t stride = ids[reached] - ids[0];
    std::int64_t size = 1;
    while (size <= (count - 1) / reached && (ids[size * reached] - ids[0]) / size == stride &&
           (ids[size * reached] - ids[0]) % size == 0) {
      ++size;
    }
    if (count % (reached * size) != 0) return std::nullopt;
    grid.insert(grid.begin(), {size, stride});
    reached *= size;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t id = ids[0];
    for (std::size_t a = grid.size(); a-- > 0;) {
      id = saturating_add(id, saturating_multiply(rest % grid[a].size, grid[a].stride));
      rest /= grid[a].size;
    }
    if (id != ids[i]) return std::nullopt;
  }
  return grid;
}

Grid normalized(Grid grid) {
  std::sort(grid.begin(), grid.end(), [](GridAxis a, GridAxis b) { return a.stride > b.stride; });
  Grid merged;
  for (const GridAxis& axis : grid) {
    if (axis.size == 1) continue;
    if (!merged.empty() && merged.back().stride / axis.size == axis.stride && merged.back().stride % axis.size == 0) {
      merged.back() = {saturating_multiply(merged.back().size, axis.size), axis.stride};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

std::vector<std::int64_t> expand(const Grid& grid, std::int64_t base) {
  std::vector<std::int64_t> ids = {base};
  for (const GridAxis& axis : grid) {
    std::vector<std::int64_t> next;
    next.reserve(ids.size() * static_cast<std::size_t>(axis.size));
    for (const std::int64_t id : ids) {
      for (std::int64_t i = 0; i < axis.size; ++i)
        next.push_back(saturating_add(id, saturating_multiply(i, axis.stride)));
    }
    ids = std::move(next);
  }
  return ids;
}

}  // namespace hloroof::internal::inline analysis
