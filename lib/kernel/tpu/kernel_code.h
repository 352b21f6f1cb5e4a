// A kernel's functions as a short program of what decides which code runs: scalar arithmetic that a condition, a bound,
// an index of a window or a size depends on, control flow, and transfers. All other operations are summed up as the
// work of regions.
#ifndef HLOROOF_LIB_KERNEL_TPU_KERNEL_CODE_H_
#define HLOROOF_LIB_KERNEL_TPU_KERNEL_CODE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernel/common/body_facts.h"
#include "lib/kernel/common/kernel_type.h"
#include "lib/kernel/tpu/kernel_op.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/kernel/tpu/vector_sizes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// A group of operands.
struct OperandSegment {
  std::uint32_t begin = 0;
  std::uint32_t size = 0;
};

struct KernelInstruction {
  KernelOpKind kind = KernelOpKind::kFree;  // kFree: runs region `number`
  ScalarOp scalar = ScalarOp::kNone;
  std::uint8_t bits = 0;          // of a scalar result
  std::uint8_t operand_bits = 0;  // of the first operand
  bool is_unary = false;
  mlir::OpId op;
  std::array<std::uint32_t, 3> operands = {};  // the values of the first operands; 0, which is never set, for none
  std::uint32_t result = 0;                    // the value of the first result
  std::uint32_t first_segment = 0;             // in KernelCode::segments; of slices, transfers and branches
  std::uint32_t segment_count = 0;
  // kFree: the region; kCall: the OpId of the function, or -1 if there is none; ScalarOp::kCompare: the predicate;
  // kGridSize: the dimension
  std::int64_t number = 0;
};

struct KernelConstant {
  std::uint32_t value = 0;
  std::int64_t number = 0;
};

struct KernelCode {
  const mlir::Module* module = nullptr;
  KernelTypes types;
  std::vector<KernelOp> rows;  // by OpNameId
  VectorSizes sizes;
  std::vector<KernelInstruction> instructions;  // those of a block follow one another
  std::vector<std::uint32_t> block_begin;       // by BlockId
  std::vector<std::uint32_t> block_end;
  std::vector<OperandSegment> segments;
  std::vector<KernelConstant> constants;
  std::vector<KernelRegion> regions;
  FunctionsByName functions;
  std::vector<std::string> unknown_ops;  // names without a row

  explicit KernelCode(const mlir::Module& kernel);
  const KernelOp& row(mlir::OpId op) const { return rows[(*module)[op].name.index]; }
  // Whether the parent of `op` is a function: its results are then those of a kernel or the indices of a window.
  bool is_in_function(mlir::OpId op) const {
    const mlir::OpId parent = module->parent(op);
    return parent.valid() && row(parent).kind == KernelOpKind::kDefinition;
  }
  // The memory that a reference is a part of, as the number of the value that allocates it; KernelTransfer::kNone if it
  // is not known.
  std::uint32_t buffer_of(mlir::ValueId reference) const;
  // The value `id` of the module; the values of `operands` and `result` are so numbered.
  static std::uint32_t value_number(mlir::ValueId id) { return id.index + 1; }
  // The group `at` of the operands of `in`; empty if there is none.
  OperandSegment segment(const KernelInstruction& in, std::uint32_t at) const {
    return at < in.segment_count ? segments[in.first_segment + at] : OperandSegment();
  }
};

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_TPU_KERNEL_CODE_H_
