#include "lib/code/scalar_value.h"

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr std::uint32_t kMinusOne = 0xFFFFFFFF;

CodeValue number(std::uint32_t bits) { return CodeValue::of(bits); }
CodeValue unknown() { return CodeValue::unknown(3); }
CodeValue address(std::uint32_t bits, std::uint32_t argument = 1) {
  CodeValue value = CodeValue::of(bits);
  value.argument = argument;
  return value;
}

TEST_CASE("operations are those of 32 bits") {
  struct Case {
    ScalarOpcode opcode;
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t result;
  };
  const Case cases[] = {
      {ScalarOpcode::kAdd, kMinusOne, 2, 1},
      {ScalarOpcode::kSubtract, 1, 2, kMinusOne},
      {ScalarOpcode::kMultiply, 1U << 20, 1U << 12, 0},
      {ScalarOpcode::kMultiplyHigh, 1U << 20, 1U << 12, 1},
      {ScalarOpcode::kMultiplyHigh, 17, 3435973837U, 13},  // four fifths of it, from which shifts make 17 / 5
      {ScalarOpcode::kShiftLeft, 1, 33, 2},
      {ScalarOpcode::kShiftRight, kMinusOne, 28, 15},
      {ScalarOpcode::kShiftRightSigned, kMinusOne, 28, kMinusOne},
      {ScalarOpcode::kMin, kMinusOne, 2, 2},
      {ScalarOpcode::kMinSigned, kMinusOne, 2, kMinusOne},
      {ScalarOpcode::kLess, kMinusOne, 2, 0},
      {ScalarOpcode::kLessSigned, kMinusOne, 2, 1},
      {ScalarOpcode::kGreaterEqualSigned, 2, 2, 1},
      {ScalarOpcode::kNand, 1, 1, 0},
      {ScalarOpcode::kNand, 1, 0, 1},
      {ScalarOpcode::kEither, 0, 1, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(static_cast<int>(c.opcode), c.a, c.b);
    CHECK(evaluate(c.opcode, {number(c.a), number(c.b), {}}, 0) == number(c.result));
  }
}

TEST_CASE("what the known operands decide is known, and nothing else") {
  CHECK(evaluate(ScalarOpcode::kAnd, {number(0), unknown(), {}}, 0) == number(0));
  CHECK(evaluate(ScalarOpcode::kNand, {unknown(), number(0), {}}, 0) == number(1));
  CHECK(evaluate(ScalarOpcode::kEither, {unknown(), number(1), {}}, 0) == number(1));
  CHECK(evaluate(ScalarOpcode::kSelect, {unknown(), number(5), number(5)}, 0) == number(5));
  CHECK(evaluate(ScalarOpcode::kSelect, {number(0), unknown(), number(5)}, 0) == number(5));
  for (const ScalarOpcode opcode : {ScalarOpcode::kAdd, ScalarOpcode::kAnd, ScalarOpcode::kEqual}) {
    const CodeValue value = evaluate(opcode, {number(1), unknown(), {}}, 0);
    CHECK(!value.known);
    CHECK(value.origin == 3);
  }
  CHECK(!evaluate(ScalarOpcode::kSelect, {unknown(), number(5), number(6)}, 0).known);
  CHECK(!evaluate(ScalarOpcode::kFromVector, {}, 0).known);
}

TEST_CASE("addresses in one argument can be compared, others not") {
  CHECK(evaluate(ScalarOpcode::kAdd, {address(4), number(8), {}}, 0) == address(12));
  CHECK(evaluate(ScalarOpcode::kSubtract, {address(12), address(4), {}}, 0) == number(8));
  CHECK(evaluate(ScalarOpcode::kLessSigned, {address(4), address(12), {}}, 0) == number(1));
  CHECK(!evaluate(ScalarOpcode::kLessSigned, {address(4), address(12, 2), {}}, 0).known);
  CHECK(!evaluate(ScalarOpcode::kLessSigned, {address(4), number(12), {}}, 0).known);
  CHECK(!evaluate(ScalarOpcode::kAdd, {address(4), address(4), {}}, 0).known);
  CHECK(!evaluate(ScalarOpcode::kShiftLeft, {address(4), number(4), {}}, 0).known);
  CHECK(!evaluate(ScalarOpcode::kSubtract, {number(4), address(4), {}}, 0).known);
}

}  // namespace
}  // namespace hloroof::internal
