// The functions of literal.h.
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "lib/base/error_place.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"
#include "lib/ir/element_type.h"
#include "lib/ir/float_format.h"
#include "lib/ir/shapes.h"
#include "lib/values/decode.h"
#include "lib/values/literal.h"
#include "lib/values/values.h"

namespace hloroof::internal::inline values {
namespace {

std::uint64_t load(const Literal& l, std::size_t offset, std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) bits |= std::uint64_t{l.bytes[offset + i]} << (8 * i);
  return bits;
}

std::int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

bool is_whole(const Literal& l) { return kind(l.element_type) != ElementKind::kFloat && !is_complex(l.element_type); }

// Element `i` of an integer type: sign-extended if signed, zero-extended otherwise.
std::int64_t whole(const Literal& l, std::size_t i) {
  const auto width = static_cast<std::size_t>(bytes(l.element_type));
  const std::uint64_t bits = load(l, i * width, width);
  if (kind(l.element_type) != ElementKind::kSigned) return static_cast<std::int64_t>(bits);
  const auto unused = static_cast<int>(64 - 8 * width);
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Element `i` of a floating-point type, or the real part of a complex one.
double fraction(const Literal& l, std::size_t i) {
  const auto width = static_cast<std::size_t>(bytes(l.element_type));
  return value_of_bits(float_format(l.element_type),
                       load(l, i * width, is_complex(l.element_type) ? width / 2 : width));
}

}  // namespace

std::size_t Literal::size() const {
  const int width = internal::bytes(element_type);
  return width == 0 ? 0 : bytes.size() / static_cast<std::size_t>(width);
}

std::int64_t Literal::integer(std::size_t i) const {
  return is_whole(*this) ? whole(*this, i) : truncated(fraction(*this, i));
}

double Literal::real(std::size_t i) const {
  if (!is_whole(*this)) return fraction(*this, i);
  const std::int64_t value = whole(*this, i);
  const bool is_signed = kind(element_type) == ElementKind::kSigned;
  return is_signed ? static_cast<double>(value) : static_cast<double>(static_cast<std::uint64_t>(value));
}

double Literal::imaginary(std::size_t i) const {
  if (!is_complex(element_type)) return 0;
  const auto width = static_cast<std::size_t>(internal::bytes(element_type));
  return value_of_bits(float_format(element_type), load(*this, i * width + width / 2, width / 2));
}

absl::StatusOr<std::vector<Literal>> literal_leaves(InstructionView constant) {
  if (constant.opcode() != Opcode::kConstant) {
    return invalid_argument(std::string(constant.name()) + " is a " + std::string(constant.opcode_text()) +
                            ", not a constant");
  }
  const Module& module = constant.module();
  const std::string_view text = constant.text(AttributeKey::kConstantLiteral);
  Cursor cursor(text);
  std::vector<Literal> leaves;
  if (!read_literal(cursor, module.shapes(), constant.shape_id(), &leaves)) {
    const ErrorRecord& error = cursor.errors().front();
    return located_error(constant.name(), text, error.offset, error.message);
  }
  return leaves;
}

absl::StatusOr<Literal> literal(InstructionView constant) {
  absl::StatusOr<std::vector<Literal>> leaves = literal_leaves(constant);
  if (!leaves.ok()) return leaves.status();
  if (!constant.shape().is_array()) return invalid_argument(std::string(constant.name()) + " is a tuple constant");
  return std::move(leaves->front());
}

std::optional<std::int64_t> scalar_integer(InstructionView constant) {
  if (constant.opcode() != Opcode::kConstant) return std::nullopt;
  const Shape& shape = constant.shape();
  const ElementKind of = kind(shape.element_type);
  if (of != ElementKind::kPredicate && !is_integral(shape.element_type)) return std::nullopt;
  if (element_count(shape) != 1) return std::nullopt;
  if (shape.rank() == 0 && of != ElementKind::kPredicate) {
    return decode<std::int64_t>(constant, AttributeKey::kConstantLiteral, read_integer);
  }
  const absl::StatusOr<Literal> value = literal(constant);
  if (!value.ok() || value->size() != 1) return std::nullopt;
  return value->integer(0);
}

}  // namespace hloroof::internal::inline values
