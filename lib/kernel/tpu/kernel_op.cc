#include "lib/kernel/tpu/kernel_op.h"

#include "absl/container/flat_hash_map.h"
#include "lib/kernel/common/body_facts.h"

namespace hloroof::internal::inline kernel {
namespace {

const absl::flat_hash_map<std::string_view, KernelOp>& kernel_op_table() {
  static const auto& table = *new absl::flat_hash_map<std::string_view, KernelOp>{
#define HLOROOF_KERNEL_OP(name, kind, scalar, opcode) {name, {KernelOpKind::kind, ScalarOp::scalar, Opcode::opcode}},
#include "lib/kernel/tpu/kernel_ops.def"
  };
  return table;
}

}  // namespace

KernelOp kernel_op(std::string_view name) {
  const auto found = kernel_op_table().find(without_stable_dialect(name));
  return found == kernel_op_table().end() ? KernelOp() : found->second;
}

std::vector<KernelOp> kernel_ops(const mlir::Module& module) {
  std::vector<KernelOp> rows;
  rows.reserve(module.op_names.size());
  for (std::uint32_t i = 0; i < module.op_names.size(); ++i) {
    rows.push_back(kernel_op(body_op_name(module, mlir::OpNameId{i})));
  }
  return rows;
}

}  // namespace hloroof::internal::inline kernel
