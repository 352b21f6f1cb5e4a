#include <algorithm>

#include "lib/analysis/saturating.h"
#include "lib/counts/xla_counts.h"
#include "lib/ir/element_type.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline counts {
namespace {

constexpr std::int64_t kPointerBytes = 8;
constexpr std::int64_t kDynamicSizeBytes = 4;  // a dynamic array starts with one s32 for each dimension

std::int64_t array_bytes(const Shape& shape, std::int64_t elements) {
  const std::int64_t bits = shape.layout.element_size_in_bits;
  std::int64_t size = 0;
  if (bits > 0) {
    const std::int64_t total = saturating_multiply(elements, bits);
    size = total / 8 + (total % 8 != 0 ? 1 : 0);
  } else {
    size = saturating_multiply(elements, bytes(shape.element_type));
  }
  const bool dynamic = std::any_of(shape.dynamic_dimensions.begin(), shape.dynamic_dimensions.end(),
                                   [](std::uint8_t flag) { return flag != 0; });
  return dynamic ? saturating_add(size, kDynamicSizeBytes * shape.rank()) : size;
}

}  // namespace

XlaSizes::XlaSizes(const ShapeTable& table) : rows_(table.size()) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Shape& shape = table[ShapeId(i)];
    Row& row = rows_[i];
    if (shape.is_array()) {
      row.elements = element_count(shape);
      row.bytes = array_bytes(shape, row.elements);
    } else if (shape.is_tuple()) {
      row.bytes = kPointerBytes * static_cast<std::int64_t>(shape.elements.size());
    } else if (shape.element_type == ElementType::kBuffer && shape.elements.size() == 1) {
      const Shape& array = table[shape.elements[0]];
      row.elements = element_count(array);
      row.bytes = array_bytes(array, row.elements);
    } else if (shape.element_type == ElementType::kOpaque) {
      row.bytes = kPointerBytes;
    }
    if (!shape.is_tuple()) {
      row.leaf_bytes = row.bytes;
      row.leaf_elements = row.elements;
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!table[ShapeId(i)].is_tuple()) continue;
    Row& row = rows_[i];
    for (const ShapeId leaf : table.leaves(ShapeId(i))) {
      row.leaf_bytes = saturating_add(row.leaf_bytes, rows_[leaf.index].bytes);
      row.leaf_elements = saturating_add(row.leaf_elements, rows_[leaf.index].elements);
    }
  }
}

}  // namespace hloroof::internal::inline counts
