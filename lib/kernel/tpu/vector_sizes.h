// How many elements the registers of a vector have room for.
#ifndef HLOROOF_LIB_KERNEL_TPU_VECTOR_SIZES_H_
#define HLOROOF_LIB_KERNEL_TPU_VECTOR_SIZES_H_

#include <cstdint>
#include <vector>

#include "lib/kernel/common/kernel_type.h"
#include "lib/kernel/tpu/kernel_op.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// A vector of [.., 1, n] that is loaded from memory whose last dimension but one is 1 too lies in registers as it lies
// there: in tiles of one row, eight of which fill a register. All that is computed of such vectors and of constants
// lies like that. Of any other vector with one row, the row takes a sublane of each register. Source: Mosaic's
// inference of layouts (tiles of (1, 128)), and the final code (f32[8,1,6144] takes 48 registers, not 384).
class VectorSizes {
 public:
  // `rows` are those of the operations, by OpNameId.
  VectorSizes(const mlir::Module& module, const KernelTypes& types, const std::vector<KernelOp>& rows);

  // padded_elements() of the value's type, or less if it lies in tiles of one row.
  double elements_of(mlir::ValueId value) const;

 private:
  // kAny: a constant, which has the layout of what it is combined with.
  enum class Rows : std::uint8_t { kPadded, kFlat, kAny };

  Rows rows_of(mlir::OpId op, KernelOpKind kind) const;

  const mlir::Module& module_;
  const KernelTypes& types_;
  std::vector<Rows> rows_;  // by value
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_VECTOR_SIZES_H_
