// Operations that wait for one another's results.
#ifndef HLOROOF_LIB_KERNEL_TPU_UNIT_CHAINS_H_
#define HLOROOF_LIB_KERNEL_TPU_UNIT_CHAINS_H_

#include <cstdint>
#include <vector>

#include "lib/kernel/common/kernel_type.h"
#include "lib/kernel/tpu/kernel_op.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// The cross-lane and the matrix units give a result about a hundred cycles after they took the operation. A loop over
// rows, such as a recurrence, has no other work to do in between: it takes the operations of its longest chain, one
// after the other. Chains through memory are not followed.
class UnitChains {
 public:
  UnitChains(const mlir::Module& module, const KernelTypes& types) : module_(module), types_(types) {
    values_.resize(module.values.size());
  }

  // Extends the longest chain of the region whose work is `work`. Call it in the order of the program.
  void add(mlir::OpId op, const KernelOp& row, RegionWork& work);
  void end_region() { ++region_; }

 private:
  struct Value {
    std::uint32_t region = 0;
    std::uint32_t length = 0;  // operations of the chain that makes it
    bool fills_lanes = false;  // all lanes of a row have the same element, as after a reduction over them
  };

  bool is_on_unit(mlir::OpId op, const KernelOp& row, bool fills_lanes) const;

  const mlir::Module& module_;
  const KernelTypes& types_;
  std::vector<Value> values_;
  std::uint32_t region_ = 1;
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_UNIT_CHAINS_H_
