#include "lib/analysis/scalar.h"

#include <algorithm>
#include <limits>

#include "lib/base/decimal.h"
#include "lib/ir/element_type.h"

namespace hloroof::internal::inline analysis {
namespace {

bool is_unsigned(ElementType type) {
  return kind(type) == ElementKind::kUnsigned || kind(type) == ElementKind::kPredicate;
}

bool is_whole(ElementType type) { return is_integral(type) || kind(type) == ElementKind::kPredicate; }

std::int64_t low_bits(std::int64_t value, int width) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << width) - 1));
}

// Division and remainder as XLA defines them, rounding toward zero. Unknown for a zero divisor and for overflow.
Scalar divide(bool remainder, bool unsigned_64, std::int64_t a, std::int64_t b) {
  if (b == 0) return Scalar::unknown();
  if (unsigned_64) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    return Scalar::integer(static_cast<std::int64_t>(remainder ? ua % ub : ua / ub));
  }
  if (b == -1)
    return remainder                                       ? Scalar::integer(0)
           : a == std::numeric_limits<std::int64_t>::min() ? Scalar::unknown()
                                                           : Scalar::integer(-a);
  return Scalar::integer(remainder ? a % b : a / b);
}

Scalar shift(Opcode opcode, ElementType type, std::int64_t a, std::int64_t by) {
  const int width = bits(type);
  if (by < 0 || by >= width) {
    return Scalar::integer(opcode == Opcode::kShiftRightArithmetic && a < 0 ? -1 : 0);
  }
  if (opcode == Opcode::kShiftLeft)
    return Scalar::integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by));
  if (opcode == Opcode::kShiftRightArithmetic) return Scalar::integer(a >> by);
  const std::uint64_t as_unsigned = static_cast<std::uint64_t>(width < 64 ? low_bits(a, width) : a) >> by;
  return Scalar::integer(static_cast<std::int64_t>(as_unsigned));
}

// a * factor_a + b * factor_b
Scalar linear(const Scalar& a, std::int64_t factor_a, const Scalar& b, std::int64_t factor_b) {
  Scalar result;
  std::int64_t x = 0;
  std::int64_t y = 0;
  if (__builtin_mul_overflow(a.slope, factor_a, &x) || __builtin_mul_overflow(b.slope, factor_b, &y) ||
      __builtin_add_overflow(x, y, &result.slope)) {
    return Scalar::unknown();
  }
  if (__builtin_mul_overflow(a.offset, factor_a, &x) || __builtin_mul_overflow(b.offset, factor_b, &y) ||
      __builtin_add_overflow(x, y, &result.offset)) {
    return Scalar::unknown();
  }
  result.known = true;
  return result;
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  if (a.slope != 0 && b.slope != 0) return Scalar::unknown();
  const Scalar& varying = a.slope != 0 ? a : b;
  const std::int64_t factor = a.slope != 0 ? b.offset : a.offset;
  return linear(varying, factor, Scalar::integer(0), 0);
}

}  // namespace

bool comparison_from_string(std::string_view text, ComparisonDirection& comparison) {
  constexpr std::string_view kNames[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (text != kNames[i]) continue;
    comparison = static_cast<ComparisonDirection>(i);
    return true;
  }
  return false;
}

bool compare_integers(ComparisonDirection comparison, std::int64_t a, std::int64_t b, bool is_unsigned_64) {
  const bool less = is_unsigned_64 ? static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b) : a < b;
  switch (comparison) {
    case ComparisonDirection::kEq: return a == b;
    case ComparisonDirection::kNe: return a != b;
    case ComparisonDirection::kLt: return less;
    case ComparisonDirection::kLe: return less || a == b;
    case ComparisonDirection::kGt: return !less && a != b;
    case ComparisonDirection::kGe: return !less;
  }
  return false;
}

bool fits(ElementType type, std::int64_t value) {
  if (!is_whole(type)) return false;
  const int width = kind(type) == ElementKind::kPredicate ? 1 : bits(type);
  if (is_unsigned(type)) return value >= 0 && (width >= 63 || value < (std::int64_t{1} << width));
  return width >= 64 || (value >= -(std::int64_t{1} << (width - 1)) && value < (std::int64_t{1} << (width - 1)));
}

std::int64_t wrap(ElementType type, std::int64_t value) {
  if (kind(type) == ElementKind::kPredicate) return value != 0;
  const int width = bits(type);
  if (width >= 64 || width <= 0) return value;
  const std::int64_t low = low_bits(value, width);
  const bool negative = !is_unsigned(type) && (low >> (width - 1)) != 0;
  return negative ? low - (std::int64_t{1} << width) : low;
}

Scalar parse_constant(ElementType type, std::string_view text) {
  if (!is_whole(type)) return Scalar::unknown();
  const auto skip = [](char c) { return c == ' ' || c == '{' || c == '}' || c == '\n' || c == '\t' || c == '\r'; };
  while (!text.empty() && skip(text.front())) text.remove_prefix(1);
  while (!text.empty() && skip(text.back())) text.remove_suffix(1);
  if (text == "true") return Scalar::integer(1);
  if (text == "false") return Scalar::integer(0);
  if (const auto value = parse_number<std::int64_t>(text)) return Scalar::integer(wrap(type, *value));
  if (const auto value = parse_number<std::uint64_t>(text)) {
    return Scalar::integer(wrap(type, static_cast<std::int64_t>(*value)));
  }
  return Scalar::unknown();
}

Scalar apply(Opcode opcode, ElementType type, ElementType operand_type, const Scalar* operands, std::size_t count) {
  if (!is_whole(type)) return Scalar::unknown();
  for (std::size_t i = 0; i < count; ++i) {
    if (!operands[i].known) return Scalar::unknown();
  }
  const auto wrapped = [type](Scalar s) {
    if (s.is_integer()) s.offset = wrap(type, s.offset);
    return s;
  };
  const bool all_integers = std::all_of(operands, operands + count, [](const Scalar& s) { return s.slope == 0; });

  // Operations that are linear in the counter. The caller checks that the counter does not wrap when it knows the last
  // value.
  switch (opcode) {
    case Opcode::kAdd:
      if (count == 2) return wrapped(linear(operands[0], 1, operands[1], 1));
      break;
    case Opcode::kSubtract:
      if (count == 2) return wrapped(linear(operands[0], 1, operands[1], -1));
      break;
    case Opcode::kMultiply:
      if (count == 2) return wrapped(multiply(operands[0], operands[1]));
      break;
    case Opcode::kNegate:
      if (count == 1) return wrapped(linear(operands[0], -1, Scalar::integer(0), 0));
      break;
    case Opcode::kConvert:
      if (count == 1 && is_whole(operand_type)) return wrapped(operands[0]);
      return Scalar::unknown();
    case Opcode::kSelect:
      if (count == 3 && operands[0].is_integer()) return operands[0].offset != 0 ? operands[1] : operands[2];
      return Scalar::unknown();
    default: break;
  }
  if (!all_integers) return Scalar::unknown();

  const std::int64_t a = count > 0 ? operands[0].offset : 0;
  const std::int64_t b = count > 1 ? operands[1].offset : 0;
  const bool unsigned_64 = is_unsigned(operand_type) && bits(operand_type) == 64;
  const auto less = [&](std::int64_t x, std::int64_t y) {
    return compare_integers(ComparisonDirection::kLt, x, y, unsigned_64);
  };
  if (count == 1) {
    switch (opcode) {
      case Opcode::kAbs:
        return a == std::numeric_limits<std::int64_t>::min() ? Scalar::unknown() : Scalar::integer(a < 0 ? -a : a);
      case Opcode::kSign: return Scalar::integer(a == 0 ? 0 : a < 0 && !unsigned_64 ? -1 : 1);
      case Opcode::kNot:
        return kind(type) == ElementKind::kPredicate ? Scalar::integer(a == 0) : wrapped(Scalar::integer(~a));
      case Opcode::kPopcnt: return Scalar::integer(__builtin_popcountll(bits(type) < 64 ? low_bits(a, bits(type)) : a));
      default: return Scalar::unknown();
    }
  }
  if (count == 2) {
    switch (opcode) {
      case Opcode::kDivide:
      case Opcode::kRemainder: return wrapped(divide(opcode == Opcode::kRemainder, unsigned_64, a, b));
      case Opcode::kMaximum: return Scalar::integer(less(a, b) ? b : a);
      case Opcode::kMinimum: return Scalar::integer(less(a, b) ? a : b);
      case Opcode::kAnd: return Scalar::integer(a & b);
      case Opcode::kOr: return Scalar::integer(a | b);
      case Opcode::kXor: return Scalar::integer(a ^ b);
      case Opcode::kShiftLeft:
      case Opcode::kShiftRightArithmetic:
      case Opcode::kShiftRightLogical: return wrapped(shift(opcode, type, a, b));
      default: return Scalar::unknown();
    }
  }
  if (count == 3 && opcode == Opcode::kClamp) {
    const std::int64_t low = operands[0].offset;
    const std::int64_t high = operands[2].offset;
    return Scalar::integer(less(b, low) ? low : less(high, b) ? high : b);
  }
  return Scalar::unknown();
}

}  // namespace hloroof::internal::inline analysis
