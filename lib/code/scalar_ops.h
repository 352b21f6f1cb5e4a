// The scalar operations of TPU code (scalar_ops.def).
#ifndef HLOROOF_LIB_CODE_SCALAR_OPS_H_
#define HLOROOF_LIB_CODE_SCALAR_OPS_H_

#include <cstdint>
#include <string_view>

namespace hloroof::internal::inline code {

enum class ScalarOpcode : std::uint8_t {
  kUnread,  // not in the table, or its operands were not read: its result is unknown
  kNothing,
  kMove,
  kNot,
  kNand,
  kAnd,
  kEither,  // of predicates: true and anything is true
  kOr,
  kXor,
  kSelect,
  kAdd,
  kSubtract,
  kMultiply,
  kMultiplyHigh,  // the upper half of the product, as of a division by a constant
  kShiftLeft,
  kShiftRight,
  kShiftRightSigned,
  kMin,
  kMax,
  kMinSigned,
  kMaxSigned,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLessSigned,
  kLessEqualSigned,
  kGreaterSigned,
  kGreaterEqualSigned,
  kArgument,
  kFromVector,  // a value that a vector unit computed
  kLoad,
  kPopDivision,
  kDivideRemainder,
  kDivide,
  kRemainder,
  kStore,
  kSetFlag,
  kAddFlag,
  kWait,
  kTransfer,
  kBranch,
};

enum class ScalarKind : std::uint8_t { kNothing, kValue, kEffect, kBranch };

struct ScalarOpRow {
  std::string_view name;
  ScalarOpcode opcode = ScalarOpcode::kUnread;
  std::uint8_t operands = 0;
  ScalarKind kind = ScalarKind::kNothing;
};

// The row of an opcode as it is printed; nullptr if there is none.
const ScalarOpRow* find_scalar_op(std::string_view name);

}  // namespace hloroof::internal::inline code

#endif  // HLOROOF_LIB_CODE_SCALAR_OPS_H_
