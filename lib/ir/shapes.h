// Comparing and printing shapes of a table.
#ifndef HLOROOF_LIB_IR_SHAPES_H_
#define HLOROOF_LIB_IR_SHAPES_H_

#include <cstdint>
#include <string>

#include "hloroof/shape.h"

namespace hloroof::internal::inline ir {

enum class FloatTypes : std::uint8_t { kCompare, kIgnore };

// Whether two shapes have the same element types, dimensions and tuple structure. Ignores layouts and dynamic flags,
// and a dimension `?` matches any dimension. XLA calls this "compatible". FloatTypes::kIgnore ignores also the
// difference between two floating-point types.
bool compatible(const ShapeTable& a_table, ShapeId a, const ShapeTable& b_table, ShapeId b,
                FloatTypes float_types = FloatTypes::kCompare);

// The shape as the parser makes it. A layout that states anything is present, with the order of rows if it gives none;
// an empty one of a scalar is not. A shape that is not an array has no layout. There is a dynamic flag for each
// dimension, or for none.
Shape canonical(Shape shape);

// append_leaf prints an array, a token or an opaque, which need not be in a table.
void append_leaf(std::string& out, const Shape& shape, ShapeText form);
void append_to(std::string& out, const ShapeTable& table, ShapeId id, ShapeText form = ShapeText::kWithLayout);

inline bool is_dynamic(const Shape& shape, int dimension) {
  return !shape.dynamic_dimensions.empty() && shape.dynamic_dimensions[static_cast<std::size_t>(dimension)] != 0;
}

// The product of the dimensions of an array; 1 for a scalar. Saturates at INT64_MAX. An unbounded dimension counts
// as 1.
std::int64_t element_count(const Shape& shape);

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_SHAPES_H_
