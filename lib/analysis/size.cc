// Computes the size of an array in memory, with tiles, padding and packing.
//
// Source: XLA's docs/tiled_layout.md and xla/shape_util.cc (ArraySize, ArrayDataSize), 2026-08-22. XLA's routine uses
// only the first tile. This one uses all tiles, which differs if an inner tile does not divide the outer one.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "hloroof/analysis.h"
#include "lib/analysis/saturating.h"
#include "lib/analysis/sizes.h"
#include "lib/ir/element_type.h"
#include "lib/ir/memory_spaces.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline analysis {

namespace {

// XLA's pointer size, for an opaque handle.
constexpr std::int64_t kPointerBytes = 8;

// The size of a dimension, which is 1 for an unbounded one.
std::int64_t counted(std::int64_t dimension) { return dimension == Shape::kUnboundedSize ? 1 : dimension; }

// The dimension numbers from most major to most minor. The inline capacity suffices for nearly all arrays.
absl::InlinedVector<int, 8> major_to_minor(const Shape& shape) {
  const int rank = shape.rank();
  absl::InlinedVector<int, 8> order(rank);
  const auto& layout = shape.layout.minor_to_major;
  const bool usable = shape.layout.present && static_cast<int>(layout.size()) == rank;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t dimension = usable ? layout[rank - 1 - i] : i;
    order[i] = dimension >= 0 && dimension < rank ? static_cast<int>(dimension) : i;
  }
  return order;
}

// A tile aligned with the last dimensions of an array, after merging `*`.
struct TileStep {
  absl::InlinedVector<std::int64_t, 4> tile;   // without `*`
  absl::InlinedVector<std::int64_t, 4> sizes;  // the dimensions that it tiles
};

// Removes the last dimensions, which `tile` covers, from `dimensions`. Prepends ones if there are too few.
TileStep take_dimensions(const Tile& tile, std::vector<std::int64_t>& dimensions) {
  const std::size_t k = tile.dimensions.size();
  if (dimensions.size() < k) dimensions.insert(dimensions.begin(), k - dimensions.size(), 1);
  TileStep step;
  std::int64_t combined = 1;
  for (std::size_t i = 0; i < k; ++i) {
    const std::int64_t size = dimensions[dimensions.size() - k + i];
    const bool merges = tile.dimensions[i] == Tile::kCombine && i + 1 < k;
    combined = saturating_multiply(combined, size);
    if (merges) continue;
    step.sizes.push_back(combined);
    step.tile.push_back(std::max<std::int64_t>(tile.dimensions[i], 1));
    combined = 1;
  }
  dimensions.resize(dimensions.size() - k);
  return step;
}

int element_bits(const Shape& shape) {
  if (shape.layout.element_size_in_bits > 0 && shape.layout.element_size_in_bits <= 1024) {
    return static_cast<int>(shape.layout.element_size_in_bits);
  }
  return 8 * bytes(shape.element_type);
}

// ceil(elements x bits / 8)
std::int64_t bytes_of(std::int64_t elements, int bits) {
  if (bits % 8 == 0) return saturating_multiply(elements, bits / 8);
  const std::int64_t product = saturating_multiply(elements, bits);
  return product == kSaturated ? kSaturated : (product + 7) / 8;
}

// The largest piece of a dimension that a split configuration divides.
std::int64_t largest_piece(std::int64_t size, const std::vector<std::int64_t>& cuts) {
  std::int64_t largest = 0;
  std::int64_t previous = 0;
  for (std::int64_t cut : cuts) {
    largest = std::max(largest, std::min(cut, size) - previous);
    previous = std::max<std::int64_t>(std::min(cut, size), 0);
  }
  return std::max(largest, size - previous);
}

}  // namespace

std::int64_t padded_elements(const Shape& shape) { return physical_size(shape).elements; }

ShapeId result_of(InstructionView instruction) {
  const Shape& shape = instruction.shape();
  const std::optional<std::size_t> element = result_element(instruction.opcode());
  const bool is_inside = element && shape.is_tuple() && *element < shape.elements.size();
  return is_inside ? shape.elements[*element] : instruction.shape_id();
}

}  // namespace hloroof::internal::inline analysis

namespace hloroof::inline v0 {
using namespace internal;

MemorySpace memory_space(const Shape& shape) {
  switch (shape.layout.memory_space) {
    case kVmemSpace:
    case kCmemSpace: return MemorySpace::kVmem;
    case kHostSpace: return MemorySpace::kHost;
    case kSyncSpace:
    case 4:
    case 6:
    case 8: return MemorySpace::kScalar;
    default: return MemorySpace::kHbm;
  }
}

PhysicalSize physical_size(const Shape& shape) {
  PhysicalSize result;
  if (shape.element_type == ElementType::kOpaque) {
    result.elements = 1;
    result.bytes = kPointerBytes;
    return result;
  }
  if (!shape.is_array()) return result;

  std::vector<std::int64_t>& dimensions = result.dimensions;
  std::size_t most = shape.dimensions.size();
  for (const Tile& tile : shape.layout.tiles) most += 2 * tile.dimensions.size();
  dimensions.reserve(most);
  for (int d : major_to_minor(shape)) dimensions.push_back(counted(shape.dimensions[d]));
  for (const SplitConfig& split : shape.layout.split_configs) {
    if (split.dimension < 0 || split.dimension >= static_cast<std::int64_t>(dimensions.size())) continue;
    dimensions[split.dimension] = largest_piece(dimensions[split.dimension], split.indices);
  }
  for (const Tile& tile : shape.layout.tiles) {
    const TileStep step = take_dimensions(tile, dimensions);
    for (std::size_t i = 0; i < step.tile.size(); ++i) {
      dimensions.push_back(step.sizes[i] / step.tile[i] + (step.sizes[i] % step.tile[i] != 0));
    }
    dimensions.insert(dimensions.end(), step.tile.begin(), step.tile.end());
  }

  std::int64_t elements = 1;
  for (std::int64_t d : dimensions) elements = saturating_multiply(elements, d);
  const std::int64_t tail = std::max<std::int64_t>(shape.layout.tail_padding_alignment, 1);
  if (elements != kSaturated && elements % tail != 0) {
    elements = saturating_multiply(elements / tail + 1, tail);
  }
  result.elements = elements;
  result.bytes = bytes_of(elements, element_bits(shape));
  result.bytes =
      saturating_add(result.bytes, std::max<std::int64_t>(shape.layout.dynamic_shape_metadata_prefix_bytes, 0));
  result.overflow = elements == kSaturated || result.bytes == kSaturated;
  return result;
}

std::int64_t padded_bytes(const Shape& shape) { return physical_size(shape).bytes; }

std::int64_t logical_bytes(const Shape& shape) {
  if (shape.element_type == ElementType::kOpaque) return kPointerBytes;
  if (!shape.is_array()) return 0;
  return bytes_of(element_count(shape), element_bits(shape));
}

std::int64_t padded_bytes(const ShapeTable& table, ShapeId id) {
  std::int64_t sum = 0;
  for (ShapeId leaf : table.leaves(id)) sum = saturating_add(sum, padded_bytes(table[leaf]));
  return sum;
}

std::int64_t logical_bytes(const ShapeTable& table, ShapeId id) {
  std::int64_t sum = 0;
  for (ShapeId leaf : table.leaves(id)) sum = saturating_add(sum, logical_bytes(table[leaf]));
  return sum;
}

}  // namespace hloroof::inline v0
