// Arithmetic on integer scalars as MLIR's arith dialect defines it.
#ifndef HLOROOF_LIB_KERNEL_SCALAR_VALUE_H_
#define HLOROOF_LIB_KERNEL_SCALAR_VALUE_H_

#include <cstdint>
#include <optional>

#include "lib/kernel/kernel_op.h"

namespace hloroof::internal {

// The low `bits` of `value`, sign-extended; an i1 is 0 or 1.
std::int64_t wrapped(std::int64_t value, int bits);

// The result of `op`, wrapped to `bits`. `operand_bits` is the width of the operands, `predicate` that of arith.cmpi.
// nullopt if the operation is not defined for these values, such as a division by zero.
std::optional<std::int64_t> evaluate_scalar(ScalarOp op, std::int64_t a, std::int64_t b, std::int64_t predicate,
                                            int operand_bits, int bits);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_SCALAR_VALUE_H_
