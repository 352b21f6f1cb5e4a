// The sections of MLIR bytecode that the operations refer to: strings, dialects, operation names, the extents of
// attributes and types, resources and properties.
#ifndef HLOROOF_LIB_MLIR_TABLES_H_
#define HLOROOF_LIB_MLIR_TABLES_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/mlir/container.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {

// In this order. Each reads into `module`, whose bytes and version are set.
absl::Status read_strings(const Container& container, Module& module);
absl::Status read_dialects(const Container& container, Module& module);
absl::Status read_extents(const Container& container, Module& module);
absl::Status read_resources(const Container& container, Module& module);

// The bytes of each entry of the properties section.
absl::Status read_properties(const Container& container, const Module& module,
                             std::vector<std::string_view>& properties);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_TABLES_H_
