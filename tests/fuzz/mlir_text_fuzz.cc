// Reads arbitrary MLIR text. What is read as text is bytecode that can be read, with attributes and types that decode.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"
#include "lib/mlir/read_text.h"

namespace mlir = hloroof::internal::mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::string> bytes = mlir::bytecode_of_text(text);
  if (!bytes.ok()) {
    if (bytes.status().message().empty()) std::abort();
    return 0;
  }
  const absl::StatusOr<mlir::Module> module = mlir::read_module(*bytes);
  if (!module.ok()) std::abort();
  for (std::uint32_t i = 0; i < module->attributes.size(); ++i) {
    if (!mlir::decode(*module, mlir::AttributeId{i}).ok()) std::abort();
  }
  for (std::uint32_t i = 0; i < module->types.size(); ++i) {
    if (!mlir::decode(*module, mlir::TypeId{i}).ok()) std::abort();
  }
  return 0;
}
