// Rules for result shapes, one function an opcode or a group of opcodes.
//
// Each rule is that of XLA's ShapeInference (openxla/xla xla/service/shape_inference.cc), the one that XLA's parser
// asks when the text gives no result shape. Where ours differs on purpose it says so.
#ifndef HLOROOF_LIB_TEXT_INFER_SHAPE_H_
#define HLOROOF_LIB_TEXT_INFER_SHAPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/attribute_values.h"
#include "hloroof/infer_shape.h"
#include "hloroof/module.h"
#include "lib/text/decode.h"
#include "lib/text/values.h"

namespace hloroof::inline v0 {

// Size of one dimension.
struct Extent {
  std::int64_t size = 0;  // the bound if dynamic; Shape::kUnboundedSize if there is none
  bool dynamic = false;

  bool unbounded() const { return size == Shape::kUnboundedSize; }
};

// What a rule may look at: an instruction but for its result shape. The attributes need not be in the module yet, the
// parser asks before it adds them.
struct ShapeInference {
  const Module& module;
  ShapeTable& shapes;
  Opcode opcode = Opcode::kUnknown;
  std::uint32_t tuple_index = 0;  // of a get-tuple-element
  Span<InstructionId> operands;
  Span<AttributeData> attributes;

  // --- what is given ----------------------------------------------------------------------------------------------
  std::size_t count() const { return operands.size(); }
  ShapeId id(std::size_t i) const { return module.data(operands[i]).shape; }
  const Shape& shape(std::size_t i) const { return shapes[id(i)]; }
  const AttributeData* find(AttributeKey key) const;

  // Values of attributes, which the parser has checked; empty or nothing where there is none.
  template <typename T, typename Read>
  std::optional<T> value(AttributeKey key, Read read) const {
    const AttributeData* found = find(key);
    return found == nullptr ? std::nullopt : decode_text<T>(module.text(found->value), read);
  }
  std::vector<std::int64_t> list(AttributeKey key) const;
  std::int64_t integer(AttributeKey key, std::int64_t fallback) const;
  std::string_view word(AttributeKey key) const;
  Window window() const;

  // The computations that `key` names. One that the text does not hold, or that is not complete, has no root.
  std::vector<ComputationView> computations(AttributeKey key) const;

  // --- what is made -----------------------------------------------------------------------------------------------
  ShapeId array(ElementType type, const std::vector<Extent>& extents) const;
  ShapeId with_type(const Shape& shape, ElementType type) const;  // layout and all else kept
  ShapeId scalar(ElementType type) const { return array(type, {}); }
  ShapeId tuple(std::vector<ShapeId> elements) const;
  ShapeId one_or_tuple(std::vector<ShapeId> elements) const;  // a tuple only of several

  // --- checks -----------------------------------------------------------------------------------------------------
  absl::Status refuse(std::string_view message) const;
  // That operand `i` is an array.
  absl::Status expect_array(std::size_t i, std::string_view what) const;
  std::string text(std::size_t i) const { return to_string(shapes, id(i), ShapeText::kWithoutLayout); }
  std::string text(ShapeId shape) const { return to_string(shapes, shape, ShapeText::kWithoutLayout); }
};

using InferredShape = absl::StatusOr<ShapeId>;

// Any opcode. Attributes and operand count must have been checked.
InferredShape infer_shape(const ShapeInference& in);

// --- infer_shape.cc: helpers of the rules ------------------------------------------------------------------------

std::vector<Extent> extents(const Shape& shape);
bool same_extents(const Shape& a, const Shape& b);  // dynamic flags are not looked at
// Whether a value of size a may be one of size b: equal, or not known.
inline bool may_equal(const Extent& a, const Extent& b) { return a.size == b.size || a.unbounded() || b.unbounded(); }
// The one that says more of two extents that may be equal.
Extent more_specific(const Extent& a, const Extent& b);
// Equal, or both floating-point.
bool same_type_but_precision(ElementType a, ElementType b);
// The type that a result of both has: complex over real, float over integer, then range, precision and width.
ElementType higher_precision(ElementType a, ElementType b);
// Whether all of `dimensions` are in [0, rank) and differ.
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
// The extents that a window slid over `base` gives; one window dimension for each of `base`.
absl::StatusOr<std::vector<Extent>> window_extents(const ShapeInference& in, const std::vector<Extent>& base,
                                                   const Window& window);
// Whether the first computation of `key` reduces values of `types` with the initial values `initial`. On success its
// results' element types are in `results`.
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

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_INFER_SHAPE_H_
