// Floating-point numbers of MLIR's types.
#ifndef HLOROOF_TESTS_MLIR_FLOAT_TEXT_H_
#define HLOROOF_TESTS_MLIR_FLOAT_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/mlir/attributes.h"

namespace hloroof::internal::mlir {

// The value of a finite number, whose bits are the low bits of `bits`. nullopt for infinities, NaNs, and for types that
// are wider than 64 bits or no floats.
std::optional<double> float_value(TypeKind kind, std::uint64_t bits);

// The number as MLIR prints it: 6 significant digits with an exponent if they determine the bits, else as many digits
// as the type needs, else the bits in hexadecimal. Unlike MLIR, it always prints the bits of f80 and f128.
std::string float_text(TypeKind kind, std::uint64_t bits);

}  // namespace hloroof::internal::mlir

#endif  // HLOROOF_TESTS_MLIR_FLOAT_TEXT_H_
