// Prints modules, attributes and types as MLIR text: the generic form, in which every attribute and type is in place
// (mlir-opt --mlir-print-op-generic --mlir-print-local-scope).
//
//   %12 = "stable_mosaic.arith.addi"(%0, %arg1) {overflowFlags = #arith.overflow<none>} : (i32, i32) -> i32
#ifndef HLOROOF_TESTS_MLIR_PRINT_H_
#define HLOROOF_TESTS_MLIR_PRINT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "lib/mlir/module.h"

namespace hloroof::internal::mlir {

struct PrintOptions {
  bool with_locations = false;
  std::size_t hex_above = 100;  // print the bytes of larger dense elements, unless they are all equal
  // A few bytes can refer to one attribute many times over, or to itself.
  std::size_t max_bytes = std::size_t{1} << 28U;
};

// Errors: InvalidArgument if something is malformed, ResourceExhausted if the text is longer than max_bytes.
absl::StatusOr<std::string> print(const Module& module, const PrintOptions& options = {});
absl::StatusOr<std::string> print(const Module& module, AttributeId id, const PrintOptions& options = {});
absl::StatusOr<std::string> print(const Module& module, TypeId id, const PrintOptions& options = {});

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_PRINT_H_
