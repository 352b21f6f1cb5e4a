// Reads the text form of MLIR, in which XLA's TPU compiler stores the kernels that it writes itself (attention, ragged
// products). What users write with Pallas is stored as bytecode.
//
// Read are functions, scf.for and scf.if, and operations that end in their types: those of arith, math and vector,
// memref.load, memref.store, and the products and iotas of tpu. An operation in another form is an error, so that no
// kernel is priced without a part of it.
#ifndef HLOROOF_LIB_MLIR_READ_TEXT_H_
#define HLOROOF_LIB_MLIR_READ_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace hloroof::internal::mlir {

// Whether the bytes are a module as text, by their first word.
bool is_text(std::string_view bytes);

// Returns the module as bytecode, for read_module(). Errors: InvalidArgument with line and column.
absl::StatusOr<std::string> bytecode_of_text(std::string_view text);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_LIB_MLIR_READ_TEXT_H_
