// What the bodies of kernels for TPUs and for GPUs have in common: names of operations, functions, and element types.
#ifndef HLOROOF_LIB_KERNEL_COMMON_BODY_FACTS_H_
#define HLOROOF_LIB_KERNEL_COMMON_BODY_FACTS_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "hloroof/shape.h"
#include "lib/mlir/attributes.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::inline kernel {

// Mosaic writes its operations into dialects whose versions are compatible: "arith.addi" becomes
// "stable_mosaic.arith.addi" for a TPU and "stable_mosaic_gpu.arith.addi" for a GPU. Returns `name` without that.
std::string_view without_stable_dialect(std::string_view name);

// The full name of an operation without the prefix of a stable dialect.
std::string body_op_name(const mlir::Module& body, mlir::OpNameId name);

// Reads the body of a kernel, which is MLIR bytecode, or text that `body` then holds as bytecode. The module refers to
// `body`. Errors: those of mlir::read_module and mlir::bytecode_of_text; NotFound if it is neither.
absl::StatusOr<mlir::Module> read_body(std::string& body);

// The functions of the body by name.
using FunctionsByName = absl::flat_hash_map<std::string_view, mlir::OpId>;
FunctionsByName functions_by_name(const mlir::Module& body);

// The type of an integer or a float. kInvalid for any other type, and for an index, whose width the target decides.
ElementType element_of(const mlir::Type& type);

// The type that MLIR spells `text`: "bf16", "f8E4M3FN", "i32".
ElementType element_of_text(std::string_view text);

}  // namespace hloroof::internal::inline kernel

#endif  // HLOROOF_LIB_KERNEL_COMMON_BODY_FACTS_H_
