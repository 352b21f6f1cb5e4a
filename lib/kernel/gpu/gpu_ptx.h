// Reads the inline assembly of GPU kernels: PTX.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_PTX_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_PTX_H_

#include <string_view>
#include <vector>

#include "lib/kernel/common/isa.h"
#include "lib/kernel/gpu/gpu_ops.h"

namespace hloroof::internal::inline kernel {

struct PtxInstruction {
  std::string_view name;  // "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
  OpCost cost = OpCost::kUnknown;
  Opcode opcode = Opcode::kAdd;
  ElementType type = ElementType::kF32;  // the last type in the name: of the operands
  double elements = 1;                   // of one thread: 2 for a packed type
  // kDot: the shape, the types of the operands, and the threads that execute one product together.
  double m = 0;
  double n = 0;
  double k = 0;
  ElementType lhs = ElementType::kBf16;
  ElementType rhs = ElementType::kBf16;
  double threads = kWarpThreads;
};

// The instructions of `assembly`, without directives, labels and the predicates before them.
std::vector<PtxInstruction> read_ptx(std::string_view assembly);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_PTX_H_
