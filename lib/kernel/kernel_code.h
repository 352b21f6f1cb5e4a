// A kernel's functions as a short program of what decides which code runs: scalar arithmetic that a condition, a bound, an
// index of a window or a size depends on, control flow, and transfers. All other operations are summed up as the work of
// regions.
#ifndef HLOROOF_LIB_KERNEL_KERNEL_CODE_H_
#define HLOROOF_LIB_KERNEL_KERNEL_CODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernel/kernel_op.h"
#include "lib/kernel/kernel_run.h"
#include "lib/kernel/kernel_type.h"
#include "lib/mlir/module.h"

namespace hloroof::internal {

struct KernelInstruction {
  KernelOpKind kind = KernelOpKind::kFree;  // kFree: runs region `number`
  ScalarOp scalar = ScalarOp::kNone;
  std::uint8_t bits = 0;          // of a scalar result
  std::uint8_t operand_bits = 0;  // of the first operand
  mlir::OpId op;
  std::int64_t number = 0;  // kFree: the region; kConstant: the value; ScalarOp::kCompare: the predicate
};

struct KernelCode {
  const mlir::Module* module = nullptr;
  KernelTypes types;
  std::vector<KernelOp> rows;                   // by OpNameId
  std::vector<KernelInstruction> instructions;  // those of a block follow one another
  std::vector<std::uint32_t> block_begin;       // by BlockId
  std::vector<std::uint32_t> block_end;
  std::vector<KernelRegion> regions;
  std::vector<double> weight;            // by OpId: work of all operations before it, in vector operations
  std::vector<std::string> unknown_ops;  // names without a row

  explicit KernelCode(const mlir::Module& kernel);
  const KernelOp& row(mlir::OpId op) const { return rows[(*module)[op].name.index]; }
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_KERNEL_KERNEL_CODE_H_
