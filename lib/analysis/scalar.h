// Integers as a program's scalars hold them, and linear functions of one unknown: what loop counters are made of.
#ifndef HLOROOF_LIB_ANALYSIS_SCALAR_H_
#define HLOROOF_LIB_ANALYSIS_SCALAR_H_

#include <cstdint>
#include <string_view>

#include "hloroof/element_type.h"
#include "hloroof/opcode.h"

namespace hloroof::inline v0 {

// slope * x + offset, where x is a loop's counter; a plain integer when slope is 0. `offset` of a 64-bit unsigned value
// holds its bits.
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

enum class Comparison : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// Reads a direction attribute ("LT"). False if it is none.
bool comparison_from_string(std::string_view text, Comparison& comparison);

bool compare_integers(Comparison comparison, std::int64_t a, std::int64_t b, bool is_unsigned_64);

// Whether an integer (or a predicate) of `type` can hold `value` without wrapping.
bool fits(ElementType type, std::int64_t value);

// `value` reduced to the width of `type`, as the hardware stores it.
std::int64_t wrap(ElementType type, std::int64_t value);

// The text of a constant with one element: "37", "{37}", "true". Unknown for anything else, floating point included.
Scalar parse_constant(ElementType type, std::string_view text);

// One operation on scalars of `type`, the result's; `operand_type` is that of the first operand. Linear functions stay
// linear through addition, subtraction, negation, conversion and multiplication by a constant; everything else needs
// integers. Unknown where an operand is, for division by zero, and for opcodes that are not integer arithmetic.
Scalar apply(Opcode opcode, ElementType type, ElementType operand_type, const Scalar* operands, std::size_t count);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_SCALAR_H_
