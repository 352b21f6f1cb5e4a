#include "lib/kernel/kernel_op.h"

#include <string>

#include "absl/container/flat_hash_map.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kStablePrefix = "stable_mosaic.";

const absl::flat_hash_map<std::string_view, KernelOp>& kernel_op_table() {
  static const auto& table = *new absl::flat_hash_map<std::string_view, KernelOp>{
#define HLOROOF_KERNEL_OP(name, kind, scalar, opcode) {name, {KernelOpKind::kind, ScalarOp::scalar, Opcode::opcode}},
#include "lib/kernel/kernel_ops.def"
  };
  return table;
}

std::string full_name(const mlir::Module& module, mlir::OpNameId id) {
  const mlir::OpName& name = module.op_names[id.index];
  std::string full(module.dialects[name.dialect.index].name);
  if (!name.name.empty()) full.append(".").append(name.name);
  return full;
}

}  // namespace

KernelOp kernel_op(std::string_view name) {
  if (name.substr(0, kStablePrefix.size()) == kStablePrefix) name.remove_prefix(kStablePrefix.size());
  const auto found = kernel_op_table().find(name);
  return found == kernel_op_table().end() ? KernelOp() : found->second;
}

std::vector<KernelOp> kernel_ops(const mlir::Module& module) {
  std::vector<KernelOp> rows;
  rows.reserve(module.op_names.size());
  for (std::uint32_t i = 0; i < module.op_names.size(); ++i) {
    rows.push_back(kernel_op(full_name(module, mlir::OpNameId{i})));
  }
  return rows;
}

std::string kernel_op_name(const mlir::Module& module, mlir::OpId op) {
  std::string name = full_name(module, module[op].name);
  if (name.compare(0, kStablePrefix.size(), kStablePrefix) == 0) name.erase(0, kStablePrefix.size());
  return name;
}

}  // namespace hloroof::internal
