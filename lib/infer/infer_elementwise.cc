// Result shapes of elementwise opcodes.
#include <string>

#include "lib/infer/infer_shape.h"
#include "lib/ir/element_type.h"
#include "lib/ir/shapes.h"

namespace hloroof::internal::inline infer {
namespace {

ElementType real_part(ElementType type) {
  return type == ElementType::kC64 ? ElementType::kF32 : type == ElementType::kC128 ? ElementType::kF64 : type;
}

// Broadcasts two shapes of equal rank: sizes must be equal, or one of them is 1 and is repeated.
InferredShape overlay(const ShapeInference& in, const std::vector<Extent>& a, const std::vector<Extent>& b,
                      ElementType type) {
  std::vector<Extent> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size == b[i].size) {
      result.push_back({a[i].size, a[i].dynamic || b[i].dynamic});
    } else if (a[i].size == 1) {
      result.push_back(b[i]);
    } else if (b[i].size == 1) {
      result.push_back(a[i]);
    } else if (may_equal(a[i], b[i])) {
      result.push_back(more_specific(a[i], b[i]));
    } else {
      return in.refuse("operands of different dimensions: " + in.text(0) + " and " + in.text(1));
    }
  }
  return in.array(type, result);
}

bool is_unbounded(const Shape& shape) {
  for (const std::int64_t size : shape.dimensions) {
    if (size == Shape::kUnboundedSize) return true;
  }
  return false;
}

// The operands of a binary opcode have equal rank, or one of them is a scalar.
InferredShape elementwise(const ShapeInference& in) {
  const Shape& a = in.shape(0);
  const Shape& b = in.shape(1);
  if (!same_type_but_precision(a.element_type, b.element_type)) {
    return in.refuse("operands of different element types: " + in.text(0) + " and " + in.text(1));
  }
  const ElementType type = higher_precision(a.element_type, b.element_type);
  if (same_extents(a, b) && !is_unbounded(a)) {
    Shape result = a;  // including its layout
    result.element_type = type;
    if (!b.dynamic_dimensions.empty()) {
      result.dynamic_dimensions.resize(result.dimensions.size(), 0);
      for (int i = 0; i < b.rank(); ++i) {
        if (is_dynamic(b, i)) result.dynamic_dimensions[static_cast<std::size_t>(i)] = 1;
      }
    }
    return in.shapes.intern(result);
  }
  if (a.rank() == b.rank()) return overlay(in, extents(a), extents(b), type);
  if (a.rank() == 0) return in.array(type, extents(b));
  if (b.rank() == 0) return in.array(type, extents(a));
  return in.refuse("operands of different ranks: " + in.text(0) + " and " + in.text(1));
}

}  // namespace

InferredShape infer_unary(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  const Shape& operand = in.shape(0);
  const ElementType type = operand.element_type;
  bool good = false;
  switch (in.opcode) {
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kErf:
    case Opcode::kFloor:
    case Opcode::kIsFinite:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven: good = is_floating(type); break;
    case Opcode::kAbs:
    case Opcode::kSign: good = is_floating(type) || is_complex(type) || kind(type) == ElementKind::kSigned; break;
    case Opcode::kNegate: good = is_floating(type) || is_complex(type) || is_integral(type); break;
    case Opcode::kNot: good = is_integral(type) || type == ElementType::kPred; break;
    case Opcode::kCountLeadingZeros:
    case Opcode::kPopcnt: good = is_integral(type); break;
    default: good = is_floating(type) || is_complex(type); break;
  }
  if (!good) {
    return in.refuse("an operand of type " + std::string(to_string(type)) + " does not suit " +
                     std::string(to_string(in.opcode)));
  }
  switch (in.opcode) {
    case Opcode::kAbs:
    case Opcode::kImag:
    case Opcode::kReal: return in.with_type(operand, real_part(type));
    case Opcode::kIsFinite: return in.with_type(operand, ElementType::kPred);
    default: return in.id(0);
  }
}

InferredShape infer_binary(const ShapeInference& in) {
  if (absl::Status status = in.expect_two_arrays(); !status.ok()) return status;
  const ElementType a = in.shape(0).element_type;
  const ElementType b = in.shape(1).element_type;
  const auto unsuited = [&] {
    return in.refuse("operands of type " + std::string(to_string(a)) + " and " + std::string(to_string(b)) +
                     " do not suit " + std::string(to_string(in.opcode)));
  };
  switch (in.opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (!is_integral(a) && a != ElementType::kPred) return unsuited();
      return elementwise(in);
    case Opcode::kAtan2:
      if (!is_floating(a) && !is_complex(a)) return unsuited();
      return elementwise(in);
    case Opcode::kDivide:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSubtract:
      if (a == ElementType::kPred || b == ElementType::kPred) return unsuited();
      return elementwise(in);
    case Opcode::kComplex: {
      if (a != b || (a != ElementType::kF32 && a != ElementType::kF64)) return unsuited();
      InferredShape parts = elementwise(in);
      if (!parts.ok()) return parts;
      return in.with_type(in.shapes[*parts], a == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
    }
    case Opcode::kCompare: {
      InferredShape compared = elementwise(in);
      if (!compared.ok()) return compared;
      return in.with_type(in.shapes[*compared], ElementType::kPred);
    }
    default: return elementwise(in);
  }
}

// Each bound is a scalar or has the dimensions of the operand.
InferredShape infer_clamp(const ShapeInference& in) {
  const Shape& operand = in.shape(1);
  for (std::size_t i = 0; i < 3; ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
    const Shape& other = in.shape(i);
    if (!same_type_but_precision(other.element_type, operand.element_type)) {
      return in.refuse("operands of different element types: " + in.text(0) + ", " + in.text(1) + " and " + in.text(2));
    }
    bool fits = other.rank() == 0 || other.rank() == operand.rank();
    for (int d = 0; fits && d < other.rank(); ++d) {
      fits = may_equal(extents(other)[static_cast<std::size_t>(d)], extents(operand)[static_cast<std::size_t>(d)]);
    }
    if (!fits)
      return in.refuse("the bounds do not fit the operand: " + in.text(0) + ", " + in.text(1) + " and " + in.text(2));
  }
  return in.id(1);
}

// A scalar predicate selects a whole array. A predicate with the dimensions of the arrays selects elements.
InferredShape infer_select(const ShapeInference& in) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
  }
  const Shape& predicate = in.shape(0);
  const Shape& on_true = in.shape(1);
  const Shape& on_false = in.shape(2);
  if (predicate.element_type != ElementType::kPred)
    return in.refuse("the first operand must be a pred, not " + in.text(0));
  bool fits = same_type_but_precision(on_true.element_type, on_false.element_type) && on_true.rank() == on_false.rank();
  const std::vector<Extent> a = extents(on_true);
  const std::vector<Extent> b = extents(on_false);
  std::vector<Extent> result;
  for (std::size_t i = 0; fits && i < a.size(); ++i) {
    fits = may_equal(a[i], b[i]);
    result.push_back(more_specific(a[i], b[i]));
  }
  if (!fits) return in.refuse("the selected operands have different shapes: " + in.text(1) + " and " + in.text(2));
  const Shape* like = &on_true;  // the operand that determines the layout of the result
  if (predicate.rank() > 0) {
    like = &predicate;
    const std::vector<Extent> p = extents(predicate);
    fits = p.size() == result.size();
    for (std::size_t i = 0; fits && i < p.size(); ++i) {
      fits = may_equal(p[i], result[i]);
      result[i] = {p[i].unbounded() || result[i].unbounded() ? Shape::kUnboundedSize : result[i].size,
                   p[i].dynamic || result[i].dynamic};
    }
    if (!fits) {
      return in.refuse("the predicate must be a scalar or have the dimensions of the selected operands: " + in.text(0) +
                       " and " + in.text(1));
    }
  }
  Shape chosen = *like;
  chosen.element_type = higher_precision(on_true.element_type, on_false.element_type);
  chosen.dynamic_dimensions.clear();
  bool dynamic = false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    chosen.dimensions[i] = result[i].size;
    dynamic |= result[i].dynamic;
  }
  if (dynamic) {
    for (const Extent& extent : result) chosen.dynamic_dimensions.push_back(extent.dynamic ? 1 : 0);
  }
  return in.shapes.intern(chosen);
}

}  // namespace hloroof::internal::inline infer
