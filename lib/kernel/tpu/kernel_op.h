// What each operation of a kernel does: the rows of kernel_ops.def.
#ifndef HLOROOF_LIB_KERNEL_TPU_KERNEL_OP_H_
#define HLOROOF_LIB_KERNEL_TPU_KERNEL_OP_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "hloroof/module.h"
#include "lib/kernel/common/scalar_value.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

enum class KernelOpKind : std::uint8_t {
  kUnknown,        // not in the table
  kFree,           // takes no time
  kConstant,       // a constant
  kElementwise,    // on each element of a vector, or on scalars
  kLoad,           // from VMEM to registers
  kStore,          // from registers to VMEM
  kMatmul,         // on the matrix unit
  kReduce,         // over dimensions of a vector
  kBroadcast,      // to more lanes or sublanes
  kTranspose,      // through the cross-lane unit
  kShuffle,        // moves elements between lanes
  kTransferStart,  // starts a DMA
  kTransferWait,   // waits for a DMA
  kSemaphore,      // signals, or waits for a signal
  kScalarLoad,     // from SMEM
  kScalarStore,    // to SMEM
  kAllocate,       // memory or semaphores
  kSlice,          // a part of a memory reference
  kView,           // a memory reference in another form
  kFor,
  kWhile,
  kIf,
  kRegion,     // runs its region once
  kCondition,  // ends the first region of a while
  kYield,      // ends a region and gives its results
  kBranch,     // goes to another block
  kCall,
  kDefinition,  // a function
};

struct KernelOp {
  KernelOpKind kind = KernelOpKind::kUnknown;
  ScalarOp scalar = ScalarOp::kNone;
  Opcode opcode = Opcode::kBitcast;
};

// `name` is the full name, with or without the prefix "stable_mosaic.".
KernelOp kernel_op(std::string_view name);

// The row of each name of a module, indexed by OpNameId.
std::vector<KernelOp> kernel_ops(const mlir::Module& module);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_KERNEL_OP_H_
