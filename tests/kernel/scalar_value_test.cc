#include "lib/kernel/common/scalar_value.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST_CASE("scalars are computed as MLIR's arith dialect defines") {
  const struct {
    ScalarOp op;
    std::int64_t a;
    std::int64_t b;
    std::optional<std::int64_t> result;
    int operand_bits = 32;
    int bits = 32;
    std::int64_t predicate = 0;
  } rows[] = {
      {ScalarOp::kAdd, 2147483647, 1, -2147483648},
      {ScalarOp::kSubtract, -2147483648, 1, 2147483647},
      {ScalarOp::kMultiply, 65536, 65536, 0},
      {ScalarOp::kDivide, -7, 2, -3},
      {ScalarOp::kDivide, 7, 0, std::nullopt},
      {ScalarOp::kDivide, kLeast, -1, std::nullopt, 64, 64},
      {ScalarOp::kDivideUnsigned, -1, 2, 2147483647},
      {ScalarOp::kFloorDivide, -7, 2, -4},
      {ScalarOp::kFloorDivide, -8, 2, -4},
      {ScalarOp::kCeilDivide, 7, 2, 4},
      {ScalarOp::kCeilDivide, -7, 2, -3},
      {ScalarOp::kCeilDivideUnsigned, 9, 4, 3},
      {ScalarOp::kRemainder, -7, 3, -1},
      {ScalarOp::kRemainderUnsigned, -1, 16, 15},
      {ScalarOp::kRemainderUnsigned, 5, 0, std::nullopt},
      {ScalarOp::kMinimum, -1, 1, -1},
      {ScalarOp::kMinimumUnsigned, -1, 1, 1},
      {ScalarOp::kMaximum, -1, 1, 1},
      {ScalarOp::kMaximumUnsigned, -1, 1, -1},
      {ScalarOp::kAnd, 12, 10, 8},
      {ScalarOp::kOr, 12, 10, 14},
      {ScalarOp::kXor, 1, 1, 0, 1, 1},
      {ScalarOp::kShiftLeft, 1, 31, -2147483648},
      {ScalarOp::kShiftLeft, 1, 32, std::nullopt},
      {ScalarOp::kShiftRight, -8, 1, -4},
      {ScalarOp::kShiftRightUnsigned, -8, 28, 15},
      {ScalarOp::kExtend, 1, 0, -1, 1, 32},
      {ScalarOp::kExtendUnsigned, 1, 0, 1, 1, 32},
      {ScalarOp::kExtendUnsigned, -1, 0, 255, 8, 32},
      {ScalarOp::kTruncate, 300, 0, 44, 32, 8},
      {ScalarOp::kTruncate, 3, 0, 1, 32, 1},
      {ScalarOp::kAbsolute, -5, 0, 5},
      {ScalarOp::kZero, 9, 9, 0},
      {ScalarOp::kCopy, 9, 0, 9},
      {ScalarOp::kCompare, 1, 1, 1, 32, 1, 0},
      {ScalarOp::kCompare, 1, 1, 0, 32, 1, 1},
      {ScalarOp::kCompare, -1, 0, 1, 32, 1, 2},
      {ScalarOp::kCompare, 0, 0, 1, 32, 1, 3},
      {ScalarOp::kCompare, 0, -1, 1, 32, 1, 4},
      {ScalarOp::kCompare, -1, 0, 0, 32, 1, 5},
      {ScalarOp::kCompare, -1, 0, 0, 32, 1, 6},
      {ScalarOp::kCompare, 0, -1, 1, 32, 1, 7},
      {ScalarOp::kCompare, -1, 0, 1, 32, 1, 8},
      {ScalarOp::kCompare, 0, -1, 0, 32, 1, 9},
      {ScalarOp::kCompare, 0, 0, std::nullopt, 32, 1, 10},
      {ScalarOp::kNone, 1, 1, std::nullopt},
  };
  for (const auto& row : rows) {
    CAPTURE(static_cast<int>(row.op), row.a, row.b, row.predicate);
    CHECK(evaluate_scalar(row.op, row.a, row.b, row.predicate, row.operand_bits, row.bits) == row.result);
  }
}

}  // namespace
}  // namespace hloroof::internal
