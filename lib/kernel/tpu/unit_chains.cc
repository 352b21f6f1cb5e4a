#include "lib/kernel/tpu/unit_chains.h"

#include <algorithm>

#include "lib/mlir/attributes.h"

namespace hloroof::internal::inline kernel {
namespace {

bool has_one_column(const KernelType& type) {
  return type.kind == KernelType::Kind::kVector && !type.shape.empty() && type.shape.back() == 1;
}

}  // namespace

bool UnitChains::is_on_unit(mlir::OpId op, const KernelOp& row, bool fills_lanes) const {
  if (module_[op].operand_count == 0 || module_[op].result_count == 0) return false;
  const KernelType& from = types_.of(module_, module_.operand(op, 0));
  const KernelType& to = types_.of(module_, module_[op].first_result);
  switch (row.kind) {
    case KernelOpKind::kMatmul:
    case KernelOpKind::kTranspose:
    case KernelOpKind::kShuffle: return to.kind == KernelType::Kind::kVector;
    case KernelOpKind::kReduce: {
      const auto dimensions = mlir::integers(module_, mlir::find(module_, op, "reduction_dims"));
      const auto last = static_cast<std::int64_t>(from.shape.size()) - 1;
      return !dimensions || std::find(dimensions->begin(), dimensions->end(), last) != dimensions->end();
    }
    case KernelOpKind::kBroadcast: return !fills_lanes && has_one_column(from) && !has_one_column(to);
    default: return false;
  }
}

void UnitChains::add(mlir::OpId op, const KernelOp& row, RegionWork& work) {
  Value result;
  result.region = region_;
  for (std::uint32_t i = 0; i < module_[op].operand_count; ++i) {
    const Value& from = values_[module_.operand(op, i).index];
    result.fills_lanes = result.fills_lanes || from.fills_lanes;
    if (from.region == region_) result.length = std::max(result.length, from.length);
  }
  const bool is_on_unit_now = is_on_unit(op, row, result.fills_lanes);
  if (is_on_unit_now) ++result.length;
  result.fills_lanes = row.kind == KernelOpKind::kReduce ? is_on_unit_now : result.fills_lanes;
  if (row.kind == KernelOpKind::kLoad || row.kind == KernelOpKind::kMatmul || row.kind == KernelOpKind::kTranspose) {
    result.fills_lanes = false;
  }
  work.units_in_turn = std::max(work.units_in_turn, static_cast<double>(result.length));
  for (const mlir::ValueId value : module_.results_of(op)) values_[value.index] = result;
}

}  // namespace hloroof::internal::inline kernel
