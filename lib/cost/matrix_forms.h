// The forms that the time of one matrix product takes, one file a kind of matrix unit. matrix_time.cc chooses.
#ifndef HLOROOF_LIB_COST_MATRIX_FORMS_H_
#define HLOROOF_LIB_COST_MATRIX_FORMS_H_

#include <algorithm>
#include <cmath>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/cost/missing_numbers.h"
#include "lib/cost/op_time.h"

namespace hloroof::inline v0 {

// systolic_time.cc. `peak` is that of the operands' type, all passes made; the better of the two ways to lay the
// product on the array. Losses beyond the loading of weights are the caller's.
MatrixTerms systolic_terms(const MatrixWork& product, const ProductPeak& peak, const Device& device,
                           const TpuCore& core, MissingNumbers* missing);

// gpu_tile_time.cc. Large products attain `attained` of the peak.
MatrixTerms gpu_tile_terms(const MatrixWork& product, const ProductPeak& peak, double attained, const Device& device,
                           const GpuCore& core, MissingNumbers* missing);

// Whether operands of the type are f32 that a GPU rounds, which libraries have kernels of their own for.
inline bool is_rounded_f32(MatrixType type) { return type == MatrixType::kF32 || type == MatrixType::kTf32; }

inline double tiles_of(double n, double tile) { return std::ceil(std::max(n, 1.0) / tile); }

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_MATRIX_FORMS_H_
