// Rules for result shapes, one function per opcode or group of opcodes.
//
// The rules are those of XLA's ShapeInference (openxla/xla xla/service/shape_inference.cc), which XLA's parser uses for
// texts without result shapes. Comments mark intentional differences.
#ifndef HLOROOF_LIB_INFER_INFER_SHAPE_H_
#define HLOROOF_LIB_INFER_INFER_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"
#include "lib/ir/rows.h"
#include "lib/values/attribute_values.h"
#include "lib/values/decode.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline infer {

// The result shape of `instruction`; its present shape is ignored. New shapes are added to `shapes`, which must be the
// table of the instruction's module or a copy of it.
//
// Supports the opcodes of shape_inferable(), for which XLA's parser infers shapes too. A new array is row-major; the
// layout is explicit if an operand has one. A result that equals an operand by definition has that operand's layout.
//
// Errors: InvalidArgument if the operands or attributes do not match; Unimplemented for opcodes whose result shape does
// not follow from the operands, such as convert, reshape and custom-call.
absl::StatusOr<ShapeId> infer_shape(InstructionView instruction, ShapeTable& shapes);

// Size of one dimension.
struct Extent {
  std::int64_t size = 0;  // the bound if dynamic; Shape::kUnboundedSize if there is none
  bool dynamic = false;

  bool unbounded() const { return size == Shape::kUnboundedSize; }
};

// The input of a rule: an instruction without its result shape. The attributes need not be in the module yet, because
// the parser infers the shape before it adds them.
struct ShapeInference {
  const Module& module;
  ShapeTable& shapes;
  Opcode opcode = Opcode::kUnknown;
  std::uint32_t tuple_index = 0;  // for get-tuple-element
  absl::Span<const InstructionId> operands;
  absl::Span<const AttributeData> attributes;

  // --- inputs -----------------------------------------------------------------------------------------------------
  std::size_t count() const { return operands.size(); }
  ShapeId id(std::size_t i) const { return row_of(module, operands[i]).shape; }
  const Shape& shape(std::size_t i) const { return shapes[id(i)]; }
  const AttributeData* find(AttributeKey key) const;

  // Values of attributes, which the parser has checked. Empty or nullopt if there is none.
  template <typename T, typename Read>
  std::optional<T> value(AttributeKey key, Read read) const {
    const AttributeData* found = find(key);
    return found == nullptr ? std::nullopt : decode_text<T>(module.text(found->value), read);
  }
  std::vector<std::int64_t> list(AttributeKey key) const;
  std::int64_t integer(AttributeKey key, std::int64_t fallback) const;
  std::string_view word(AttributeKey key) const;
  Window window() const;

  // The computations that `key` names. A computation that is missing or incomplete has no root.
  std::vector<ComputationView> computations(AttributeKey key) const;

  // --- results ----------------------------------------------------------------------------------------------------
  ShapeId array(ElementType type, const std::vector<Extent>& extents) const;
  ShapeId with_type(const Shape& shape, ElementType type) const;  // keeps the layout and everything else
  ShapeId scalar(ElementType type) const { return array(type, {}); }
  ShapeId tuple(std::vector<ShapeId> elements) const;
  ShapeId one_or_tuple(std::vector<ShapeId> elements) const;  // a tuple if there are several

  // --- checks -----------------------------------------------------------------------------------------------------
  absl::Status refuse(std::string_view message) const;
  // Checks that operand `i` is an array.
  absl::Status expect_array(std::size_t i, std::string_view what) const;
  absl::Status expect_two_arrays() const;
  std::string text(std::size_t i) const { return to_string(shapes, id(i), ShapeText::kWithoutLayout); }
  std::string text(ShapeId shape) const { return to_string(shapes, shape, ShapeText::kWithoutLayout); }
};

using InferredShape = absl::StatusOr<ShapeId>;

// Any opcode. Attributes and operand count must have been checked.
InferredShape infer_shape(const ShapeInference& in);

// --- infer_shape.cc: helpers of the rules ------------------------------------------------------------------------

std::vector<Extent> extents(const Shape& shape);
bool same_extents(const Shape& a, const Shape& b);  // ignores dynamic flags
// Whether the sizes are equal or one of them is unknown.
inline bool may_equal(const Extent& a, const Extent& b) { return a.size == b.size || a.unbounded() || b.unbounded(); }
// The more specific of two extents that may be equal.
Extent more_specific(const Extent& a, const Extent& b);
// Whether the types are equal or both floating-point.
bool same_type_but_precision(ElementType a, ElementType b);
// The result type of two operand types: prefers complex over real, float over integer, then range, precision and width.
ElementType higher_precision(ElementType a, ElementType b);
// Whether all `dimensions` are distinct and in [0, rank).
bool distinct_dimensions(const std::vector<std::int64_t>& dimensions, std::size_t rank);
bool ascending(const std::vector<std::int64_t>& values);
inline bool contains(const std::vector<std::int64_t>& values, std::int64_t value) {
  for (const std::int64_t v : values) {
    if (v == value) return true;
  }
  return false;
}

// --- infer_elementwise.cc ----------------------------------------------------------------------------------------
InferredShape infer_unary(const ShapeInference& in);
InferredShape infer_binary(const ShapeInference& in);
InferredShape infer_clamp(const ShapeInference& in);
InferredShape infer_select(const ShapeInference& in);

// --- infer_data_movement.cc --------------------------------------------------------------------------------------
InferredShape infer_broadcast(const ShapeInference& in);
InferredShape infer_transpose(const ShapeInference& in);
InferredShape infer_reverse(const ShapeInference& in);
InferredShape infer_pad(const ShapeInference& in);
InferredShape infer_concatenate(const ShapeInference& in);
InferredShape infer_dimension_size(const ShapeInference& in);  // get- and set-dimension-size

// --- infer_contraction.cc ----------------------------------------------------------------------------------------
InferredShape infer_dot(const ShapeInference& in);
InferredShape infer_ragged_dot(const ShapeInference& in);
InferredShape infer_convolution(const ShapeInference& in);

// --- infer_reduction.cc ------------------------------------------------------------------------------------------
InferredShape infer_reduce(const ShapeInference& in);
InferredShape infer_reduce_window(const ShapeInference& in);
InferredShape infer_select_and_scatter(const ShapeInference& in);
InferredShape infer_sort(const ShapeInference& in);
InferredShape infer_top_k(const ShapeInference& in);
InferredShape infer_map(const ShapeInference& in);
InferredShape infer_scan(const ShapeInference& in);
// The extents of the result of sliding the window over `base`. The window has one dimension per dimension of `base`.
absl::StatusOr<std::vector<Extent>> window_extents(const ShapeInference& in, const std::vector<Extent>& base,
                                                   const Window& window);
// Checks that the first computation of `key` reduces values of `types` with the initial values `initial`. Sets
// `results` to the element types of its results.
absl::Status check_reducer(const ShapeInference& in, AttributeKey key, const std::vector<ElementType>& types,
                           const std::vector<ShapeId>& initial, std::vector<ElementType>* results);

// --- infer_gather_scatter.cc -------------------------------------------------------------------------------------
InferredShape infer_gather(const ShapeInference& in);
InferredShape infer_scatter(const ShapeInference& in);

// --- infer_linear_algebra.cc -------------------------------------------------------------------------------------
InferredShape infer_fft(const ShapeInference& in);
InferredShape infer_cholesky(const ShapeInference& in);
InferredShape infer_triangular_solve(const ShapeInference& in);
InferredShape infer_batch_norm(const ShapeInference& in);

// --- infer_call.cc -----------------------------------------------------------------------------------------------
InferredShape infer_get_tuple_element(const ShapeInference& in);
InferredShape infer_call(const ShapeInference& in);
InferredShape infer_while(const ShapeInference& in);
InferredShape infer_conditional(const ShapeInference& in);

}  // namespace hloroof::internal::inline infer

#endif  // HLOROOF_LIB_INFER_INFER_SHAPE_H_
