// Models of the time of one matrix product, one file for each kind of matrix unit. matrix_time.cc selects the model.
#ifndef HLOROOF_LIB_TIME_MATRIX_FORMS_H_
#define HLOROOF_LIB_TIME_MATRIX_FORMS_H_

#include <algorithm>
#include <cmath>
#include <optional>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/numbers.h"
#include "lib/time/op_time.h"

namespace hloroof::internal::inline time {

// Defined in systolic_time.cc. `peak` is the rate for the operands' type, with all passes. Returns the faster of the
// two arrangements of the product on the array. The only loss included is the loading of weights; the caller applies
// the others.
template <class Num>
MatrixTime<Num> systolic_time(const MatrixWork& product, const ProductPeak<Num>& peak, const TpuCore& core,
                              const Numbers<Num>& numbers);

// Defined in gpu_tile_time.cc. `attained` is the share of the peak that large products attain.
template <class Num>
MatrixTime<Num> gpu_tile_time(const MatrixWork& product, const ProductPeak<Num>& peak, const Num& attained,
                              const GpuCore& core, const Numbers<Num>& numbers);

// Defined in attention_time.cc. Empty if `product` is not that of a library's attention kernel, or if the device does
// not state at which rate these run.
template <class Num>
std::optional<MatrixTime<Num>> attention_time(const MatrixWork& product, const ProductPeak<Num>& peak,
                                              const Numbers<Num>& numbers);

// The number of the device from which attention_time() takes the rate of the product, that of the nearest head size;
// null if it is empty.
const Fact<double>* attention_rate(const MatrixWork& product, MatrixType type, const Device& device);

// Defined in matrix_time.cc. The number of the device that the time of a large product is proportional to: a rate, or
// the share of a peak. Null if the unit cannot multiply such operands. `products_busy` is that of RunAs.
const void* deciding_rate(const MatrixWork& product, const Device& device, double products_busy);

// Whether operands of the type are f32 values that a GPU rounds. Libraries have separate kernels for them.
inline bool is_rounded_f32(MatrixType type) { return type == MatrixType::kF32 || type == MatrixType::kTf32; }

inline double tiles_of(double n, double tile) { return std::ceil(std::max(n, 1.0) / tile); }

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_MATRIX_FORMS_H_
