// Reads arbitrary MLIR bytecode, decodes all attributes and types, and prints the module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "tests/mlir/print.h"

namespace {

namespace mlir = hloroof::internal::mlir;

// Every id refers to an entity, and an operation's nested ones follow it.
void check_ids(const mlir::Module& module) {
  for (std::uint32_t i = 0; i < module.ops.size(); ++i) {
    const mlir::Op& op = module.ops[i];
    if (op.end.index <= i || op.end.index > module.ops.size()) std::abort();
    if (op.name.index >= module.op_names.size() || op.block.index >= module.blocks.size()) std::abort();
    for (const mlir::ValueId result : module.results_of(mlir::OpId{i})) {
      if (module.values.at(result.index).op.index != i) std::abort();
    }
    for (const mlir::RegionId region : module.regions_of(mlir::OpId{i})) {
      if (module.regions.at(region.index).op.index != i) std::abort();
    }
  }
  for (const mlir::ValueId operand : module.operands) {
    if (operand.index >= module.values.size()) std::abort();
  }
  for (const mlir::Value& value : module.values) {
    if (value.type.index >= module.types.size() || value.op.valid() == value.block.valid()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<mlir::Module> module = mlir::read_module(bytes);
  if (!module.ok()) {
    if (module.status().message().empty()) std::abort();
    return 0;
  }
  check_ids(*module);
  mlir::PrintOptions options;
  options.with_locations = true;
  options.max_bytes = 1 << 18;
  for (std::uint32_t i = 0; i < module->attributes.size() && i < 256; ++i) {
    const mlir::AttributeId id{i};
    (void)mlir::find(*module, id, "sym_name");
    (void)mlir::integers(*module, id);
    options.max_bytes = 1 << 12;
    (void)mlir::print(*module, id, options);
  }
  options.max_bytes = 1 << 18;
  const absl::StatusOr<std::string> text = mlir::print(*module, options);
  if (text.ok() && text->size() > options.max_bytes) std::abort();
  return 0;
}
