// Integer scalars of a program, and linear functions of one unknown, which is the counter of a loop.
#ifndef HLOROOF_LIB_ANALYSIS_SCALAR_H_
#define HLOROOF_LIB_ANALYSIS_SCALAR_H_

#include <cstdint>
#include <string_view>

#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline analysis {

// slope * x + offset, where x is a loop's counter. It is an integer constant if slope is 0. For a 64-bit unsigned
// value, `offset` holds its bits.
struct Scalar {
  bool known = false;
  std::int64_t slope = 0;
  std::int64_t offset = 0;

  static Scalar unknown() { return {}; }
  static Scalar integer(std::int64_t value) { return {true, 0, value}; }
  static Scalar counter() { return {true, 1, 0}; }
  bool is_integer() const { return known && slope == 0; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

enum class ComparisonDirection : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// Parses a direction attribute ("LT"). Returns false if it is invalid.
bool comparison_from_string(std::string_view text, ComparisonDirection& comparison);

bool compare_integers(ComparisonDirection comparison, std::int64_t a, std::int64_t b, bool is_unsigned_64);

// Whether an integer or predicate of `type` can represent `value`.
bool fits(ElementType type, std::int64_t value);

// `value` truncated to the width of `type`.
std::int64_t wrap(ElementType type, std::int64_t value);

// Parses a constant with one element: "37", "{37}", "true". Unknown for anything else, including floating point.
Scalar parse_constant(ElementType type, std::string_view text);

// Applies one operation. `type` is the type of the result, `operand_type` that of the first operand. Addition,
// subtraction, negation, conversion and multiplication by a constant accept linear functions; all other operations need
// integer constants. Unknown for unknown operands, division by zero, and opcodes that are not integer arithmetic.
Scalar apply(Opcode opcode, ElementType type, ElementType operand_type, const Scalar* operands, std::size_t count);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_SCALAR_H_
