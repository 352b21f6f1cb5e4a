// The operations of a GPU kernel that decide how often each of its blocks runs: structured control flow, and the
// integer arithmetic that bounds, predicates and positions in the grid pass through.
#ifndef HLOROOF_LIB_KERNEL_GPU_GPU_STEPS_H_
#define HLOROOF_LIB_KERNEL_GPU_GPU_STEPS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lib/kernel/gpu/gpu_ops.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// The operands of scf.for: lower bound, upper bound, step, then the initial values.
inline constexpr std::uint32_t kForBounds = 3;

struct KnownInteger {
  std::int64_t value = 0;
  bool is_known = false;
};

enum class GpuStructure : std::uint8_t { kNone, kFor, kIf, kWhile, kSwitch };

// An operation on the data path of a loop bound, a predicate or a grid index.
struct GpuStep {
  mlir::OpId op;
  GpuStructure structure = GpuStructure::kNone;
  ScalarOp scalar = ScalarOp::kNone;
  KnownInteger immediate;  // the constant, the predicate or the axis
  int bits = 0;            // of the result
  int operand_bits = 0;    // of the first operand
  bool iterates = false;   // a loop whose trips differ in what counts
  bool carries = false;    // likewise, and a trip depends on the one before
};

class GpuSteps {
 public:
  // Both must outlive this object.
  GpuSteps(const mlir::Module& kernel, const std::vector<GpuOpFacts>& facts);

  GpuStructure structure(mlir::OpId op) const { return structures_[op.index]; }
  // The operations of `block` that count or that compute what is needed, in order.
  const std::vector<GpuStep>& of(mlir::BlockId block) const { return steps_of_block_[block.index]; }
  // The values that are constant. They may be outside the body.
  const std::vector<std::pair<mlir::ValueId, KnownInteger>>& constants() const { return constants_; }
  bool depends_on_axis(std::size_t axis) const { return depends_on_axis_[axis]; }
  bool depends_on_thread() const { return depends_on_thread_; }
  bool is_structured() const { return is_structured_; }

  // The last operation of a region's only block; invalid if the region is empty.
  mlir::OpId terminator(mlir::RegionId region) const {
    return kernel_[region].block_count == 0 ? mlir::OpId{} : last_of_block_[kernel_[region].first_block.index];
  }

  std::optional<mlir::ValueId> operand(mlir::OpId op, std::uint32_t number) const {
    if (!op.valid() || number >= kernel_[op].operand_count) return std::nullopt;
    return kernel_.operand(op, number);
  }

  mlir::RegionId region(mlir::OpId op, std::uint32_t number) const { return kernel_.regions_of(op)[number]; }

 private:
  GpuStructure find_structure(mlir::OpId op) const;
  void need(std::optional<mlir::ValueId> value);
  void find_needed();
  void need_for_result(mlir::OpId op, std::uint32_t index);
  void need_for_argument(mlir::BlockId block, std::uint32_t index);
  bool any_needed(mlir::IdRange<mlir::ValueId> values) const;
  void list_steps();
  void read_dimension(GpuStep& step) const;
  void read_immediate(GpuStep& step);
  int width_of(mlir::ValueId value) const;

  const mlir::Module& kernel_;
  const std::vector<GpuOpFacts>& facts_;
  std::vector<TileType> types_;
  std::vector<GpuStructure> structures_;   // by OpId
  std::vector<mlir::OpId> last_of_block_;  // by BlockId
  std::vector<bool> is_needed_;            // by ValueId
  std::vector<mlir::ValueId> pending_;
  std::vector<std::vector<GpuStep>> steps_of_block_;  // by BlockId
  std::vector<std::pair<mlir::ValueId, KnownInteger>> constants_;
  std::array<bool, 3> depends_on_axis_ = {};
  bool depends_on_thread_ = false;
  bool is_structured_ = true;
};

// Whether `axis` is one of the three of a grid.
inline bool is_axis(const KnownInteger& axis) { return axis.is_known && axis.value >= 0 && axis.value < 3; }

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_GPU_GPU_STEPS_H_
