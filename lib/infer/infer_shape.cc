// Which rule gives the result shape of which opcode, and what the rules have in common.
#include "lib/infer/infer_shape.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/float_format.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/ir/shapes.h"
#include "lib/values/operand_count.h"

namespace hloroof::internal::inline infer {

absl::StatusOr<ShapeId> infer_shape(InstructionView instruction, ShapeTable& shapes) {
  const InstructionData& row = row_of(instruction);
  if (!takes_operands(row.opcode, row.operand_count)) {
    return invalid_argument(std::string(instruction.opcode_text()) + " takes " + operand_counts(row.opcode) +
                            " operands, not " + std::to_string(row.operand_count));
  }
  return infer_shape(ShapeInference{instruction.module(), shapes, row.opcode, row.number, instruction.operand_ids(),
                                    instruction.attributes()});
}

namespace {

// Elementwise opcodes without a rule of their own have one for each number of operands.
InferredShape infer_by_flow(const ShapeInference& in) {
  const bool is_elementwise = flow(in.opcode) == Flow::kElementwise && shape_inferable(in.opcode);
  if (is_elementwise && arity(in.opcode) == 1) return infer_unary(in);
  if (is_elementwise && arity(in.opcode) == 2) return infer_binary(in);
  const std::string message =
      "the result shape of " + std::string(to_string(in.opcode)) + " does not follow from its operands";
  return absl::UnimplementedError(message);
}

}  // namespace

InferredShape infer_shape(const ShapeInference& in) {
  switch (in.opcode) {
    // The result is an operand's like, or says nothing of its operands.
    case Opcode::kAddDependency:
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptBarrier: return in.id(0);
    case Opcode::kAfterAll: return in.scalar(ElementType::kToken);
    case Opcode::kPartitionId:
    case Opcode::kReplicaId: return in.scalar(ElementType::kU32);
    case Opcode::kTuple: {
      std::vector<ShapeId> elements;
      for (std::size_t i = 0; i < in.count(); ++i) elements.push_back(in.id(i));
      return in.tuple(std::move(elements));
    }
    case Opcode::kGetTupleElement: return infer_get_tuple_element(in);

    case Opcode::kClamp: return infer_clamp(in);
    case Opcode::kSelect: return infer_select(in);

    case Opcode::kBroadcast: return infer_broadcast(in);
    case Opcode::kTranspose: return infer_transpose(in);
    case Opcode::kReverse: return infer_reverse(in);
    case Opcode::kPad: return infer_pad(in);
    case Opcode::kConcatenate: return infer_concatenate(in);
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize: return infer_dimension_size(in);

    case Opcode::kDot:
    case Opcode::kScaledDot: return infer_dot(in);
    case Opcode::kRaggedDot: return infer_ragged_dot(in);
    case Opcode::kConvolution: return infer_convolution(in);

    case Opcode::kReduce: return infer_reduce(in);
    case Opcode::kReduceWindow: return infer_reduce_window(in);
    case Opcode::kSelectAndScatter: return infer_select_and_scatter(in);
    case Opcode::kSort: return infer_sort(in);
    case Opcode::kTopk: return infer_top_k(in);
    case Opcode::kMap: return infer_map(in);
    case Opcode::kScan: return infer_scan(in);

    case Opcode::kGather: return infer_gather(in);
    case Opcode::kScatter: return infer_scatter(in);

    case Opcode::kFft: return infer_fft(in);
    case Opcode::kCholesky: return infer_cholesky(in);
    case Opcode::kTriangularSolve: return infer_triangular_solve(in);
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return infer_batch_norm(in);

    case Opcode::kCall: return infer_call(in);
    case Opcode::kWhile: return infer_while(in);
    case Opcode::kConditional: return infer_conditional(in);
    default: return infer_by_flow(in);
  }
}

const AttributeData* ShapeInference::find(AttributeKey key) const {
  for (const AttributeData& attribute : attributes) {
    if (attribute.key == key) return &attribute;
  }
  return nullptr;
}

std::vector<std::int64_t> ShapeInference::list(AttributeKey key) const {
  return value<std::vector<std::int64_t>>(key, read_integer_list).value_or(std::vector<std::int64_t>());
}

std::int64_t ShapeInference::integer(AttributeKey key, std::int64_t fallback) const {
  return value<std::int64_t>(key, read_integer).value_or(fallback);
}

std::string_view ShapeInference::word(AttributeKey key) const {
  const AttributeData* found = find(key);
  return found == nullptr ? std::string_view() : module.text(found->value);
}

Window ShapeInference::window() const { return value<Window>(AttributeKey::kWindow, read_window).value_or(Window()); }

std::vector<ComputationView> ShapeInference::computations(AttributeKey key) const {
  std::vector<ComputationView> all;
  if (const AttributeData* found = find(key)) {
    for (const std::uint32_t index : ModuleRows::references(module, *found))
      all.emplace_back(&module, ComputationId(index));
  }
  return all;
}

ShapeId ShapeInference::array(ElementType type, const std::vector<Extent>& extents) const {
  Shape made;
  made.element_type = type;
  bool dynamic = false;
  for (const Extent& extent : extents) {
    made.dimensions.push_back(extent.size);
    dynamic |= extent.dynamic;
  }
  if (dynamic) {
    for (const Extent& extent : extents) made.dynamic_dimensions.push_back(extent.dynamic ? 1 : 0);
  }
  // Row-major is what no layout means; it is written out in texts that write layouts.
  bool layouts = false;
  for (std::size_t i = 0; i < count(); ++i) layouts |= shape(i).layout.present;
  if (layouts && !extents.empty()) {
    made.layout.present = true;
    for (std::size_t i = extents.size(); i-- > 0;) made.layout.minor_to_major.push_back(static_cast<std::int64_t>(i));
  }
  return shapes.intern(made);
}

ShapeId ShapeInference::with_type(const Shape& shape, ElementType type) const {
  Shape changed = shape;
  changed.element_type = type;
  return shapes.intern(changed);
}

ShapeId ShapeInference::tuple(std::vector<ShapeId> elements) const {
  Shape made;
  made.element_type = ElementType::kTuple;
  made.elements = std::move(elements);
  return shapes.intern(made);
}

ShapeId ShapeInference::one_or_tuple(std::vector<ShapeId> elements) const {
  return elements.size() == 1 ? elements[0] : tuple(std::move(elements));
}

absl::Status ShapeInference::refuse(std::string_view message) const { return invalid_argument(message); }

absl::Status ShapeInference::expect_array(std::size_t i, std::string_view what) const {
  if (shape(i).is_array()) return absl::OkStatus();
  return refuse("the " + std::string(what) + " must be an array, not " + text(i));
}

absl::Status ShapeInference::expect_two_arrays() const {
  if (absl::Status status = expect_array(0, "left operand"); !status.ok()) return status;
  return expect_array(1, "right operand");
}

std::vector<Extent> extents(const Shape& shape) {
  std::vector<Extent> all;
  all.reserve(static_cast<std::size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i)
    all.push_back({shape.dimensions[static_cast<std::size_t>(i)], is_dynamic(shape, i)});
  return all;
}

bool same_extents(const Shape& a, const Shape& b) { return a.dimensions == b.dimensions; }

Extent more_specific(const Extent& a, const Extent& b) {
  if (a.unbounded()) return b;
  if (b.unbounded()) return a;
  return {a.size, a.dynamic || b.dynamic};
}

bool same_type_but_precision(ElementType a, ElementType b) { return a == b || (is_floating(a) && is_floating(b)); }

// XLA's primitive_util::HigherPrecisionType. Of two that are equal in all this, such as f8e5m2 and f8e5m2fnuz, the
// first; XLA stops the program at those.
ElementType higher_precision(ElementType a, ElementType b) {
  const auto rank = [](ElementType type) {
    const bool complex = is_complex(type);
    const ElementType part = type == ElementType::kC64    ? ElementType::kF32
                             : type == ElementType::kC128 ? ElementType::kF64
                                                          : type;
    int range = -1;
    int precision = 0;
    if (part == ElementType::kF64) {
      range = 1024;
      precision = 53;
    } else if (is_floating(part)) {
      const FloatFormat format = float_format(part);
      range = std::ilogb(largest_finite(format)) + 1;
      precision = format.mantissa_bits + 1;
    }
    const int width = part == ElementType::kPred ? 1 : bits(part);
    return std::make_tuple(complex, range, precision, width, kind(part) == ElementKind::kSigned);
  };
  return rank(b) > rank(a) ? b : a;
}

bool distinct_dimensions(const std::vector<std::int64_t>& dimensions, std::size_t rank) {
  std::vector<bool> seen(rank, false);
  for (const std::int64_t d : dimensions) {
    if (d < 0 || static_cast<std::size_t>(d) >= rank || seen[static_cast<std::size_t>(d)]) return false;
    seen[static_cast<std::size_t>(d)] = true;
  }
  return true;
}

bool ascending(const std::vector<std::int64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), [](std::int64_t a, std::int64_t b) { return a >= b; }) ==
         values.end();
}

}  // namespace hloroof::internal::inline infer
