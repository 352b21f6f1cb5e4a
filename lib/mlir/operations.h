// The IR section of MLIR bytecode: operations, regions, blocks and values.
#ifndef HLOROOF_LIB_MLIR_OPERATIONS_H_
#define HLOROOF_LIB_MLIR_OPERATIONS_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/mlir/container.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {

// Reads the operations into `module`, whose tables are complete. `properties` are the entries of the properties
// section.
absl::Status read_operations(const Section& ir, const std::vector<std::string_view>& properties, Module& module);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_OPERATIONS_H_
