// The peak rate of a matrix unit for an operand type, and whether it depends on a number that the device file lacks.
#ifndef HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_
#define HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_

#include <optional>

#include "hloroof/device.h"

namespace hloroof::internal {

struct MatrixRate {
  std::optional<double> rate;             // flop/s, as for MatrixUnit::rate()
  const Fact<double>* unknown = nullptr;  // an unknown number that would change the rate; null if there is none
};
MatrixRate matrix_rate(const MatrixPeak& peak, MatrixType type);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_HARDWARE_MATRIX_RATE_H_
