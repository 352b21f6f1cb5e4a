// Result shapes of opcodes that move data.
#include <string>

#include "lib/infer/infer_shape.h"
#include "lib/values/attribute_values.h"

namespace hloroof::internal::inline infer {
namespace {

// Dimension `i` of the result is dimension dimensions[i] of `shape`. The layout keeps the order in memory.
ShapeId permuted(const ShapeInference& in, const Shape& shape, const std::vector<std::int64_t>& dimensions) {
  Shape result = shape;
  std::vector<std::int64_t> position(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::size_t from = static_cast<std::size_t>(dimensions[i]);
    position[from] = static_cast<std::int64_t>(i);
    result.dimensions[i] = shape.dimensions[from];
    if (!result.dynamic_dimensions.empty()) result.dynamic_dimensions[i] = shape.dynamic_dimensions[from];
  }
  result.layout.minor_to_major.clear();
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::int64_t from =
        shape.layout.present ? shape.layout.minor_to_major[i] : static_cast<std::int64_t>(dimensions.size() - 1 - i);
    result.layout.minor_to_major.push_back(position[static_cast<std::size_t>(from)]);
  }
  result.layout.present = !dimensions.empty() || shape.layout.present;
  return in.shapes.intern(result);
}

}  // namespace

// Only a broadcast of a scalar to a scalar can be inferred. The sizes of new dimensions are known only from the result
// shape. XLA interprets `dimensions` as sizes in that case, which no program intends.
InferredShape infer_broadcast(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  if (in.shape(0).rank() == 0) return in.id(0);
  return in.refuse("the sizes of the new dimensions do not follow from the operand; write the result shape");
}

InferredShape infer_transpose(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  const Shape& operand = in.shape(0);
  const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
  if (dimensions.size() != operand.dimensions.size() || !distinct_dimensions(dimensions, dimensions.size())) {
    return in.refuse("dimensions must be a permutation of those of the operand, " + in.text(0));
  }
  return permuted(in, operand, dimensions);
}

InferredShape infer_reverse(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  if (!distinct_dimensions(in.list(AttributeKey::kDimensions), in.shape(0).dimensions.size())) {
    return in.refuse("dimensions must be distinct ones of the operand, " + in.text(0));
  }
  return in.id(0);
}

// low + size + (size - 1) * interior + high in each dimension
InferredShape infer_pad(const ShapeInference& in) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (absl::Status status = in.expect_array(i, i == 0 ? "operand" : "padding value"); !status.ok()) return status;
  }
  const Shape& operand = in.shape(0);
  const Shape& value = in.shape(1);
  if (value.rank() != 0) return in.refuse("the padding value must be a scalar, not " + in.text(1));
  if (!same_type_but_precision(operand.element_type, value.element_type)) {
    return in.refuse("operands of different element types: " + in.text(0) + " and " + in.text(1));
  }
  const auto padding = in.value<std::vector<PaddingDimension>>(AttributeKey::kPadding, read_padding_dimensions)
                           .value_or(std::vector<PaddingDimension>());
  std::vector<Extent> result = extents(operand);
  if (padding.size() != result.size()) {
    return in.refuse("padding of " + std::to_string(padding.size()) + " dimensions for an operand of " +
                     std::to_string(result.size()));
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (padding[i].interior < 0) return in.refuse("interior padding is negative in dimension " + std::to_string(i));
    if (result[i].unbounded()) continue;
    std::int64_t size = result[i].size;
    std::int64_t holes = 0;
    const bool overflow = __builtin_mul_overflow(size > 0 ? size - 1 : 0, padding[i].interior, &holes) ||
                          __builtin_add_overflow(size, holes, &size) ||
                          __builtin_add_overflow(size, padding[i].low, &size) ||
                          __builtin_add_overflow(size, padding[i].high, &size);
    if (overflow || size < 0) return in.refuse("padding leaves no valid size of dimension " + std::to_string(i));
    result[i].size = size;
  }
  return in.array(higher_precision(operand.element_type, value.element_type), result);
}

InferredShape infer_concatenate(const ShapeInference& in) {
  for (std::size_t i = 0; i < in.count(); ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
  }
  const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
  std::vector<Extent> result = extents(in.shape(0));
  ElementType type = in.shape(0).element_type;
  if (dimensions.size() != 1 || !distinct_dimensions(dimensions, result.size())) {
    return in.refuse("dimensions must be one of the operands', " + in.text(0));
  }
  const std::size_t along = static_cast<std::size_t>(dimensions[0]);
  for (std::size_t i = 1; i < in.count(); ++i) {
    const Shape& other = in.shape(i);
    const std::vector<Extent> next = extents(other);
    if (!same_type_but_precision(type, other.element_type)) {
      return in.refuse("operands of different element types: " + in.text(0) + " and " + in.text(i));
    }
    if (next.size() != result.size())
      return in.refuse("operands of different ranks: " + in.text(0) + " and " + in.text(i));
    type = higher_precision(type, other.element_type);
    for (std::size_t d = 0; d < result.size(); ++d) {
      if (d != along) {
        if (!may_equal(result[d], next[d])) {
          return in.refuse("operands that differ in more than the dimension along which they are joined: " +
                           in.text(0) + " and " + in.text(i));
        }
        result[d] = more_specific(result[d], next[d]);
      } else if (result[d].unbounded() || next[d].unbounded()) {
        result[d] = {Shape::kUnboundedSize, true};
      } else {
        result[d].dynamic = result[d].dynamic || next[d].dynamic;
        if (__builtin_add_overflow(result[d].size, next[d].size, &result[d].size)) {
          return in.refuse("the joined dimension is larger than 63 bits hold");
        }
      }
    }
  }
  return in.array(type, result);
}

InferredShape infer_dimension_size(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  const Shape& operand = in.shape(0);
  const std::vector<std::int64_t> dimensions = in.list(AttributeKey::kDimensions);
  if (dimensions.size() != 1 || !distinct_dimensions(dimensions, operand.dimensions.size())) {
    return in.refuse("dimensions must be one of the operand's, " + in.text(0));
  }
  if (in.opcode == Opcode::kGetDimensionSize) return in.scalar(ElementType::kS32);
  const Shape& size = in.shape(1);
  if (size.element_type != ElementType::kS32 || size.rank() != 0) {
    return in.refuse("the size must be s32[], not " + in.text(1));
  }
  Shape result = operand;
  result.dynamic_dimensions.resize(result.dimensions.size(), 0);
  result.dynamic_dimensions[static_cast<std::size_t>(dimensions[0])] = 1;
  return in.shapes.intern(result);
}

}  // namespace hloroof::internal::inline infer
