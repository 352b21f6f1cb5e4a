// Result shapes of fft, cholesky, triangular-solve and batch-norm-*.
#include <string>

#include "lib/infer/infer_shape.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline infer {
namespace {

bool is_field(ElementType type) { return is_floating(type) || is_complex(type); }

// Checks that the operand is a square matrix or a batch of them.
absl::Status expect_square(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "matrix"); !status.ok()) return status;
  const std::vector<Extent> all = extents(in.shape(0));
  if (all.size() < 2 || !may_equal(all[all.size() - 2], all.back())) {
    return in.refuse("the two minor dimensions of the matrix must be equal, not " + in.text(0));
  }
  return absl::OkStatus();
}

}  // namespace

// RFFT maps n real elements to n / 2 + 1 complex ones, which determine the others.
InferredShape infer_fft(const ShapeInference& in) {
  if (absl::Status status = in.expect_array(0, "operand"); !status.ok()) return status;
  const Shape& operand = in.shape(0);
  const ElementType type = operand.element_type;
  const std::string_view kind = in.word(AttributeKey::kFftType);
  const std::vector<std::int64_t> length = in.list(AttributeKey::kFftLength);
  if (length.empty() || length.size() > 3) return in.refuse("fft_length must have 1 to 3 entries");
  if (operand.dimensions.size() < length.size()) return in.refuse("the operand has fewer dimensions than fft_length");
  for (const std::int64_t n : length) {
    if (n < 0) return in.refuse("fft_length is negative");
  }
  const auto no_type = [&] {
    return in.refuse("an operand of type " + std::string(to_string(type)) + " does not suit " + std::string(kind));
  };
  if (kind == "FFT" || kind == "IFFT") return is_complex(type) ? InferredShape(in.id(0)) : no_type();

  const bool forward = kind == "RFFT";
  if (forward ? type != ElementType::kF32 && type != ElementType::kF64 : !is_complex(type)) return no_type();
  const std::vector<Extent> all = extents(operand);
  const std::size_t first = all.size() - length.size();
  const std::int64_t half = length.back() == 0 ? 0 : length.back() / 2 + 1;
  for (std::size_t i = 0; i < length.size(); ++i) {
    const bool last = i + 1 == length.size();
    const std::int64_t expected = last && !forward ? half : length[i];
    if (!all[first + i].unbounded() && all[first + i].size != expected) {
      return in.refuse("dimension " + std::to_string(first + i) + " of " + in.text(0) + " should be " +
                       std::to_string(expected));
    }
  }
  Shape result = operand;  // including its layout
  result.dimensions.back() = forward ? half : length.back();
  if (all.back().unbounded()) result.dynamic_dimensions.back() = 0;
  switch (type) {
    case ElementType::kF32: result.element_type = ElementType::kC64; break;
    case ElementType::kF64: result.element_type = ElementType::kC128; break;
    case ElementType::kC64: result.element_type = ElementType::kF32; break;
    default: result.element_type = ElementType::kF64; break;
  }
  bool dynamic = false;
  for (const std::uint8_t flag : result.dynamic_dimensions) dynamic |= flag != 0;
  if (!dynamic) result.dynamic_dimensions.clear();
  return in.shapes.intern(result);
}

InferredShape infer_cholesky(const ShapeInference& in) {
  if (absl::Status status = expect_square(in); !status.ok()) return status;
  if (!is_field(in.shape(0).element_type))
    return in.refuse("the matrix must be floating-point or complex, not " + in.text(0));
  return in.id(0);
}

// Solves a x = b or x a = b. The shape of x is that of b.
InferredShape infer_triangular_solve(const ShapeInference& in) {
  if (absl::Status status = expect_square(in); !status.ok()) return status;
  if (absl::Status status = in.expect_array(1, "right-hand side"); !status.ok()) return status;
  const Shape& a = in.shape(0);
  const Shape& b = in.shape(1);
  const std::string operands = in.text(0) + " and " + in.text(1);
  if (!is_field(a.element_type) || a.element_type != b.element_type) {
    return in.refuse("operands must be of one floating-point or complex type: " + operands);
  }
  const std::vector<Extent> matrix = extents(a);
  const std::vector<Extent> side = extents(b);
  bool fits = matrix.size() == side.size();
  for (std::size_t i = 0; fits && i + 2 < matrix.size(); ++i) fits = may_equal(matrix[i], side[i]);
  const bool left = in.value<bool>(AttributeKey::kLeftSide, [](Cursor& cursor, bool* out) {
                        return cursor.read_bool(out);
                      }).value_or(false);
  fits = fits && may_equal(matrix.back(), side[side.size() - (left ? 2 : 1)]);
  if (!fits) return in.refuse("batch or shared dimensions do not fit: " + operands);
  if (in.find(AttributeKey::kTransposeA) == nullptr) return in.refuse("attribute transpose_a is expected but not seen");
  return in.id(1);
}

// The operand is followed by scale, offset, mean and variance as the opcode requires, with one value per feature.
// Operand 4 of batch-norm-grad is the gradient of the result.
InferredShape infer_batch_norm(const ShapeInference& in) {
  const std::int64_t feature = in.integer(AttributeKey::kFeatureIndex, -1);
  for (std::size_t i = 0; i < in.count(); ++i) {
    if (absl::Status status = in.expect_array(i, "operand"); !status.ok()) return status;
    if (!is_floating(in.shape(i).element_type)) return in.refuse("operands must be floating-point, not " + in.text(i));
  }
  const std::vector<Extent> operand = extents(in.shape(0));
  if (feature < 0 || static_cast<std::size_t>(feature) >= operand.size()) {
    return in.refuse("feature_index " + std::to_string(feature) + " is not a dimension of " + in.text(0));
  }
  const Extent features = operand[static_cast<std::size_t>(feature)];
  for (std::size_t i = 1; i < in.count(); ++i) {
    const std::vector<Extent> other = extents(in.shape(i));
    if (in.opcode == Opcode::kBatchNormGrad && i == 4) {
      bool fits = other.size() == operand.size();
      for (std::size_t d = 0; fits && d < other.size(); ++d) fits = may_equal(other[d], operand[d]);
      if (!fits) return in.refuse("the gradient, " + in.text(4) + ", does not match the operand, " + in.text(0));
    } else if (other.size() != 1 || !may_equal(other[0], features)) {
      return in.refuse("operand " + std::to_string(i) + " must have a value for each feature, but is " + in.text(i));
    }
  }
  if (in.opcode == Opcode::kBatchNormInference) return in.id(0);
  const ShapeId each = in.array(in.shape(0).element_type, {features});
  return in.tuple({in.id(0), each, each});
}

}  // namespace hloroof::internal::inline infer
