// Arithmetic on integer scalars as MLIR's arith dialect defines it.
#ifndef HLOROOF_LIB_KERNEL_COMMON_SCALAR_VALUE_H_
#define HLOROOF_LIB_KERNEL_COMMON_SCALAR_VALUE_H_

#include <cstdint>
#include <optional>

namespace hloroof::internal::inline kernel {

// How an operation of a kernel computes an integer.
enum class ScalarOp : std::uint8_t {
  kNone,  // the result is not known without running the kernel
  kZero,
  kCopy,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kDivideUnsigned,
  kCeilDivide,
  kCeilDivideUnsigned,
  kFloorDivide,
  kRemainder,
  kRemainderUnsigned,
  kMinimum,
  kMinimumUnsigned,
  kMaximum,
  kMaximumUnsigned,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kShiftRightUnsigned,
  kCompare,  // with the predicate of arith.cmpi
  kSelect,
  kExtend,
  kExtendUnsigned,
  kTruncate,  // to the width of the result
  kAbsolute,
  // From here on, evaluate_scalar does not define them: they follow from the operation's attributes or from the thread
  // that runs it.
  kConstant,
  kSecond,  // the value of the second operand: threads of a warp have the same
  kProgramId,
  kProgramCount,
  kBlockId,
  kThreadId,
  kBlockSize,
  kGridSize,
  kClusterBlockId,  // within the cluster
  kClusterSize,
  kElected,  // whether the thread is the one that acts for its warp
};

// The low `bits` of `value`, sign-extended; an i1 is 0 or 1.
inline std::int64_t wrapped(std::int64_t value, int bits) {
  if (bits == 1) return value & 1;
  if (bits <= 0 || bits >= 64) return value;
  const auto shift = static_cast<unsigned>(64 - bits);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

// evaluate_scalar() of the operations that are not inline, not wrapped.
std::optional<std::int64_t> evaluate_rare_scalar(ScalarOp op, std::int64_t a, std::int64_t b, std::int64_t predicate,
                                                 int operand_bits);

// The result of `op`, wrapped to `bits`. `operand_bits` is the width of the operands, `predicate` that of arith.cmpi.
// nullopt if the operation is not defined for these values, such as a division by zero. Kernels compute millions of
// sums, products and masks.
inline std::optional<std::int64_t> evaluate_scalar(ScalarOp op, std::int64_t a, std::int64_t b, std::int64_t predicate,
                                                   int operand_bits, int bits) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case ScalarOp::kAdd: return wrapped(static_cast<std::int64_t>(ua + ub), bits);
    case ScalarOp::kSubtract: return wrapped(static_cast<std::int64_t>(ua - ub), bits);
    case ScalarOp::kMultiply: return wrapped(static_cast<std::int64_t>(ua * ub), bits);
    case ScalarOp::kAnd: return wrapped(a & b, bits);
    case ScalarOp::kOr: return wrapped(a | b, bits);
    case ScalarOp::kMinimum: return wrapped(a < b ? a : b, bits);
    case ScalarOp::kMaximum: return wrapped(a > b ? a : b, bits);
    case ScalarOp::kCompare:
      switch (predicate) {  // those of signed numbers
        case 0: return a == b ? 1 : 0;
        case 1: return a != b ? 1 : 0;
        case 2: return a < b ? 1 : 0;
        case 3: return a <= b ? 1 : 0;
        case 4: return a > b ? 1 : 0;
        case 5: return a >= b ? 1 : 0;
        default: break;
      }
      [[fallthrough]];
    default: {
      const std::optional<std::int64_t> result = evaluate_rare_scalar(op, a, b, predicate, operand_bits);
      return result ? std::optional(wrapped(*result, bits)) : std::nullopt;
    }
  }
}

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_COMMON_SCALAR_VALUE_H_
