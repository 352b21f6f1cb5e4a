#include "lib/work/registers.h"

#include <algorithm>
#include <cmath>

#include "lib/ir/element_type.h"
#include "lib/kernel/common/isa.h"

namespace hloroof::internal::inline work {

MinorDimensions minor_dimensions(const Shape& shape) {
  MinorDimensions minor;
  const auto& order = shape.layout.minor_to_major;
  if (!order.empty()) minor.lane = order[0];
  if (order.size() > 1) minor.sublane = order[1];
  return minor;
}

std::int64_t tile_extent(const Shape& shape, std::int64_t d) {
  if (!is_tiled(shape)) return 1;
  const std::vector<std::int64_t>& tile = shape.layout.tiles[0].dimensions;
  const auto& order = shape.layout.minor_to_major;
  for (std::size_t i = 0; i < tile.size() && i < order.size(); ++i) {
    if (order[i] == d) return std::max<std::int64_t>(tile[tile.size() - 1 - i], 1);
  }
  return 1;
}

std::int64_t elements_of_word(ElementType type) { return std::max(kernel::kLaneBits / std::max(bits(type), 1), 1); }

bool lies_by_rows(const Shape& shape) {
  if (!is_tiled(shape)) return false;
  const std::vector<std::int64_t>& tile = shape.layout.tiles[0].dimensions;
  return tile.size() == 2 && tile[0] <= elements_of_word(shape.element_type);
}

std::int64_t tiles_along(const Shape& shape, std::int64_t d) {
  if (d < 0 || d >= shape.rank()) return 1;
  const std::int64_t extent = tile_extent(shape, d);
  return std::max<std::int64_t>(shape.dimensions[d] / extent + (shape.dimensions[d] % extent != 0 ? 1 : 0), 1);
}

std::int64_t tiles_of_window(const Shape& shape, std::size_t i, const std::vector<std::int64_t>& bounds) {
  return std::clamp<std::int64_t>(bounds[bounds.size() - 1 - i], 1, tiles_along(shape, shape.layout.minor_to_major[i]));
}

double lane_reduction_elements(const Shape& operand, const ArraySize& size) {
  if (!is_tiled(operand) || operand.layout.minor_to_major.empty()) return 0;
  const std::int64_t lanes = operand.layout.tiles[0].dimensions.empty() ? 1 : operand.layout.tiles[0].dimensions.back();
  const std::int64_t minor = operand.layout.minor_to_major[0];
  if (minor < 0 || minor >= operand.rank() || lanes <= 0) return 0;
  const double extent = static_cast<double>(std::max<std::int64_t>(operand.dimensions[minor], 1));
  return size.padded_elements / std::max(std::ceil(extent / static_cast<double>(lanes)), 1.0);
}

}  // namespace hloroof::internal::inline work
