// The peak rate of a matrix unit for an operand type, and whether it depends on a number that the device file lacks.
#ifndef HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_
#define HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_

#include <optional>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

enum class MatrixType { kBf16, kF16, kF32, kF32Highest, kTf32, kF64, kF8, kF4, kS8, kS4 };

// The rate of the type's native path, otherwise of the type that it is converted to (see MatrixPeak).
struct MatrixRate {
  std::optional<double> rate;             // flop/s; nullopt for f64 without a native path
  const void* slot = nullptr;             // the member of `peak` with the rate
  const Fact<double>* unknown = nullptr;  // an unknown number that would change the rate; null if there is none
};
MatrixRate matrix_rate(const MatrixPeak& peak, MatrixType type);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_
