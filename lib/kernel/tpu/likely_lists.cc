#include "lib/kernel/tpu/likely_lists.h"

#include <algorithm>
#include <cmath>

namespace hloroof::internal::inline kernel {
namespace {

// A standard normal deviate for each index: evenly spread quantiles in an order without structure.
double normal_deviate(std::int64_t index) {
  constexpr double kGolden = 0.6180339887498949;
  const double whole = std::floor(static_cast<double>(index + 1) * kGolden);
  const double u = std::clamp(static_cast<double>(index + 1) * kGolden - whole, 1e-6, 1 - 1e-6);
  // Approximation of the logistic kind, within 0.02 of the quantile of the normal distribution.
  return std::log(u / (1 - u)) / 1.702;
}

}  // namespace

std::vector<std::int64_t> ramp(std::int64_t size, std::int64_t extent) {
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    values.push_back(
        static_cast<std::int64_t>(static_cast<double>(i) * static_cast<double>(extent) / static_cast<double>(size)));
  }
  return values;
}

std::int64_t causal_columns(std::int64_t row, std::int64_t rows, std::int64_t columns, bool are_equal) {
  if (are_equal) return std::min(row + 1, columns);
  return ((row + 1) * columns + rows - 1) / rows;
}

bool is_causal_size(std::int64_t size, std::int64_t rows, std::int64_t columns, bool are_equal) {
  std::int64_t sum = 0;
  for (std::int64_t row = 0; row < rows && sum <= size; ++row) sum += causal_columns(row, rows, columns, are_equal);
  return sum == size;
}

bool has_rows_without_blocks(std::int64_t size, std::int64_t rows, std::int64_t columns) {
  std::int64_t visible = 0;
  if (rows <= columns || __builtin_mul_overflow(columns, columns + 1, &visible)) return false;
  return size - (rows - columns) == visible / 2;
}

BlockPairs block_pairs(std::int64_t size, std::int64_t rows, std::int64_t columns) {
  BlockPairs pairs;
  pairs.visible_rows = rows;
  if (has_rows_without_blocks(size, rows, columns)) {
    pairs.visible_rows = columns;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = std::min(row, columns - 1); column < columns; ++column) {
        pairs.outer.push_back(row);
        pairs.inner.push_back(column);
      }
    }
    return pairs;
  }
  const bool are_equal = is_causal_size(size, rows, columns, true);
  const bool is_causal = are_equal || is_causal_size(size, rows, columns, false);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = size * row / rows;
    const std::int64_t count =
        is_causal ? causal_columns(row, rows, columns, are_equal) : size * (row + 1) / rows - first;
    const std::int64_t diagonal = rows > 1 ? (columns - 1) * row / (rows - 1) : 0;
    const std::int64_t begin =
        is_causal ? 0 : std::clamp<std::int64_t>(diagonal - count + 1, 0, std::max<std::int64_t>(columns - count, 0));
    for (std::int64_t i = 0; i < count; ++i) {
      pairs.outer.push_back(row);
      pairs.inner.push_back(std::min(begin + i, columns - 1));
    }
  }
  pairs.outer.resize(static_cast<std::size_t>(size), rows - 1);
  pairs.inner.resize(static_cast<std::size_t>(size), columns - 1);
  return pairs;
}

std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t total) {
  std::vector<std::int64_t> sizes;
  const double mean = static_cast<double>(total) / static_cast<double>(groups);
  std::int64_t rest = total;
  for (std::int64_t g = 0; g < groups; ++g) {
    const double size = mean + std::sqrt(mean) * normal_deviate(g);
    sizes.push_back(std::clamp<std::int64_t>(std::llround(size), 0, rest));
    rest -= sizes.back();
  }
  // The rounding, and what the deviates do not balance, is spread over all groups.
  for (std::int64_t g = 0; rest > 0; g = (g + 1) % groups) {
    const std::int64_t more = std::min(rest, std::max<std::int64_t>(rest / groups, 1));
    sizes[static_cast<std::size_t>(g)] += more;
    rest -= more;
  }
  return sizes;
}

std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> offsets = {0};
  offsets.reserve(sizes.size() + 1);
  for (const std::int64_t size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

TileVisits tile_visits(const std::vector<std::int64_t>& sizes, std::int64_t tile_rows, std::int64_t tiles,
                       bool visits_empty_groups) {
  TileVisits visits;
  std::int64_t begin = 0;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    const std::int64_t end = begin + sizes[group];
    std::int64_t last = (end + tile_rows - 1) / tile_rows;
    if (sizes[group] == 0) last = begin / tile_rows + (visits_empty_groups ? 1 : 0);
    for (std::int64_t tile = begin / tile_rows; tile < last; ++tile) {
      visits.groups.push_back(static_cast<std::int64_t>(group));
      visits.tiles.push_back(std::min(tile, tiles - 1));
    }
    begin = end;
  }
  return visits;
}

}  // namespace hloroof::internal::inline kernel
