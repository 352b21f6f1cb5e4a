#include "lib/code/scalar_value.h"

#include <algorithm>

namespace hloroof::internal::inline code {
namespace {

std::int32_t as_signed(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

std::uint32_t compute(ScalarOpcode opcode, std::uint32_t a, std::uint32_t b) {
  switch (opcode) {
    case ScalarOpcode::kNand: return a & b & 1U ? 0 : 1;
    case ScalarOpcode::kAnd: return a & b;
    case ScalarOpcode::kEither:
    case ScalarOpcode::kOr: return a | b;
    case ScalarOpcode::kXor: return a ^ b;
    case ScalarOpcode::kAdd: return a + b;
    case ScalarOpcode::kSubtract: return a - b;
    case ScalarOpcode::kMultiply: return a * b;
    case ScalarOpcode::kMultiplyHigh: return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32U);
    case ScalarOpcode::kShiftLeft: return a << (b & 31U);
    case ScalarOpcode::kShiftRight: return a >> (b & 31U);
    case ScalarOpcode::kShiftRightSigned: return static_cast<std::uint32_t>(as_signed(a) >> (b & 31U));
    case ScalarOpcode::kMin: return std::min(a, b);
    case ScalarOpcode::kMax: return std::max(a, b);
    case ScalarOpcode::kMinSigned: return static_cast<std::uint32_t>(std::min(as_signed(a), as_signed(b)));
    case ScalarOpcode::kMaxSigned: return static_cast<std::uint32_t>(std::max(as_signed(a), as_signed(b)));
    case ScalarOpcode::kEqual: return a == b ? 1 : 0;
    case ScalarOpcode::kNotEqual: return a != b ? 1 : 0;
    case ScalarOpcode::kLess: return a < b ? 1 : 0;
    case ScalarOpcode::kLessEqual: return a <= b ? 1 : 0;
    case ScalarOpcode::kGreater: return a > b ? 1 : 0;
    case ScalarOpcode::kGreaterEqual: return a >= b ? 1 : 0;
    case ScalarOpcode::kLessSigned: return as_signed(a) < as_signed(b) ? 1 : 0;
    case ScalarOpcode::kLessEqualSigned: return as_signed(a) <= as_signed(b) ? 1 : 0;
    case ScalarOpcode::kGreaterSigned: return as_signed(a) > as_signed(b) ? 1 : 0;
    case ScalarOpcode::kGreaterEqualSigned: return as_signed(a) >= as_signed(b) ? 1 : 0;
    default: return 0;
  }
}

// Whether the order of two addresses in one argument is that of their distances from it.
bool is_comparison(ScalarOpcode opcode) {
  return opcode >= ScalarOpcode::kEqual && opcode <= ScalarOpcode::kGreaterEqualSigned;
}

// At least one of the two is an address.
CodeValue of_addresses(ScalarOpcode opcode, const CodeValue& a, const CodeValue& b, std::uint32_t index) {
  CodeValue result = CodeValue::of(compute(opcode, a.bits, b.bits));
  const bool is_one_argument = a.argument == b.argument;
  if (opcode == ScalarOpcode::kAdd && (a.is_number() || b.is_number())) {
    result.argument = a.argument | b.argument;
  } else if (opcode == ScalarOpcode::kSubtract && (is_one_argument || b.is_number())) {
    result.argument = is_one_argument ? 0 : a.argument;
  } else if (!is_one_argument || !is_comparison(opcode)) {
    result = CodeValue::unknown(index);
  }
  return result;
}

bool is_zero(const CodeValue& value) { return value.is_number() && value.bits == 0; }
bool is_one(const CodeValue& value) { return value.is_number() && value.bits == 1; }

}  // namespace

CodeValue evaluate(ScalarOpcode opcode, const std::array<CodeValue, 3>& operands, std::uint32_t index) {
  const CodeValue& a = operands[0];
  const CodeValue& b = operands[1];
  if (opcode == ScalarOpcode::kMove) return a;
  if (opcode == ScalarOpcode::kFromVector) return CodeValue::unknown(index);
  if (opcode == ScalarOpcode::kArgument) {
    CodeValue address = a;
    if (a.known) address.argument = index + 1;
    return address;
  }
  if (opcode == ScalarOpcode::kNot) return a.is_number() ? CodeValue::of(a.bits == 0 ? 1 : 0) : a;
  if (opcode == ScalarOpcode::kSelect) {
    if (a.known) return a.bits != 0 ? b : operands[2];
    return b.known && b == operands[2] ? b : a;
  }
  if (!a.known || !b.known) {
    if (opcode == ScalarOpcode::kAnd && (is_zero(a) || is_zero(b))) return CodeValue::of(0);
    if (opcode == ScalarOpcode::kNand && (is_zero(a) || is_zero(b))) return CodeValue::of(1);
    if (opcode == ScalarOpcode::kEither && (is_one(a) || is_one(b))) return CodeValue::of(1);
    return a.known ? b : a;
  }
  if (a.argument != 0 || b.argument != 0) return of_addresses(opcode, a, b, index);
  return CodeValue::of(compute(opcode, a.bits, b.bits));
}

}  // namespace hloroof::internal::inline code
