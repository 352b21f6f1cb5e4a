#include "lib/kernel/tpu/vector_sizes.h"

#include <algorithm>

#include "lib/kernel/common/isa.h"

namespace hloroof::internal::inline kernel {
namespace {

bool has_one_row(const KernelType& type) { return type.shape.size() >= 2 && type.shape[type.shape.size() - 2] == 1; }

}  // namespace

VectorSizes::VectorSizes(const mlir::Module& module, const KernelTypes& types, const std::vector<KernelOp>& rows)
    : module_(module), types_(types), rows_(module.values.size(), Rows::kPadded) {
  // Operations stand after those that make their operands.
  for (std::uint32_t i = 0; i < module.ops.size(); ++i) {
    const mlir::OpId op{i};
    if (module[op].result_count != 1) continue;
    const mlir::ValueId result = module[op].first_result;
    const KernelType& type = types.of(module, result);
    if (type.kind == KernelType::Kind::kVector && has_one_row(type)) {
      rows_[result.index] = rows_of(op, rows[module[op].name.index].kind);
    }
  }
}

VectorSizes::Rows VectorSizes::rows_of(mlir::OpId op, KernelOpKind kind) const {
  Rows result = Rows::kAny;
  for (std::uint32_t k = 0; k < module_[op].operand_count; ++k) {
    const mlir::ValueId operand = module_.operand(op, k);
    const KernelType& from = types_.of(module_, operand);
    if (kind == KernelOpKind::kLoad && from.kind == KernelType::Kind::kMemory) {
      return has_one_row(from) ? Rows::kFlat : Rows::kPadded;
    }
    if (from.kind != KernelType::Kind::kVector) continue;
    if (rows_[operand.index] == Rows::kPadded) return Rows::kPadded;
    if (rows_[operand.index] == Rows::kFlat) result = Rows::kFlat;
  }
  return result;
}

double VectorSizes::elements_of(mlir::ValueId value) const {
  const KernelType& type = types_.of(module_, value);
  const double padded = padded_elements(type);
  if (rows_[value.index] == Rows::kPadded) return padded;
  const std::int64_t lanes = std::max<std::int64_t>(type.shape.back(), 1);
  const std::int64_t columns = (lanes - 1) / kRegisterLanes + 1;
  const std::int64_t registers = (lanes - 1) / (kRegisterLanes * kRegisterSublanes) + 1;  // of a row on its own
  const double rows = padded / kRegisterElements / static_cast<double>(columns);
  return rows * static_cast<double>(registers) * kRegisterElements;
}

}  // namespace hloroof::internal::inline kernel
