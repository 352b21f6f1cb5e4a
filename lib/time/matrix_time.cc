// Computes the seconds of the matrix unit. Determines the type and the number of passes of a product, and selects the
// model of its time by the kind of the unit. A unit of which only the peaks are known is a plain roof.
#include <algorithm>
#include <cmath>

#include "lib/hardware/matrix_rate.h"
#include "lib/ir/element_type.h"
#include "lib/time/matrix_forms.h"

namespace hloroof::internal {
namespace {

MatrixType matrix_type(const MatrixWork& product) {
  // The narrower of the two operands is converted to the type of the wider one.
  const ElementType type = bits(product.lhs) >= bits(product.rhs) ? product.lhs : product.rhs;
  switch (type) {
    case ElementType::kF16: return MatrixType::kF16;
    case ElementType::kF32:
    case ElementType::kC64: return MatrixType::kF32;
    case ElementType::kF64:
    case ElementType::kC128: return MatrixType::kF64;
    case ElementType::kS8:
    case ElementType::kU8:
    case ElementType::kPred: return MatrixType::kS8;
    case ElementType::kS4:
    case ElementType::kU4:
    case ElementType::kS2:
    case ElementType::kU2: return MatrixType::kS4;
    case ElementType::kF4e2m1fn: return MatrixType::kF4;
    default: break;
  }
  if (is_floating(type) && bits(type) == 8) return MatrixType::kF8;
  return is_integral(type) ? MatrixType::kF32 : MatrixType::kBf16;
}

// The type as which a device multiplies the operands of a product, and the number of passes. A TPU splits f32 into bf16
// parts and takes one pass for each pair of parts. A GPU rounds f32 to TF32 (DEFAULT, HIGH) or does not use its tensor
// cores (HIGHEST). It splits f32 only if an algorithm says so (openxla/xla xla/service/gpu/matmul_utils.cc,
// 2026-08-22).
struct Multiplication {
  MatrixType type = MatrixType::kBf16;
  int passes = 1;
};
Multiplication multiplication(const MatrixWork& product, const Device& device) {
  const Multiplication plain = {matrix_type(product), std::max(product.passes, 1)};
  if (device.gpu() == nullptr || plain.type != MatrixType::kF32) return plain;
  switch (product.multiplied_as) {
    case MultipliedAs::kBf16: return {MatrixType::kBf16, plain.passes};
    case MultipliedAs::kF16: return {MatrixType::kF16, plain.passes};
    case MultipliedAs::kTf32: return {MatrixType::kTf32, plain.passes};
    case MultipliedAs::kF32: return {MatrixType::kF32Highest, 1};
    case MultipliedAs::kUnset: break;
  }
  constexpr int kHighest = 6;                                                   // passes on a TPU
  const int real = is_complex(product.lhs) || is_complex(product.rhs) ? 4 : 1;  // real products of a complex one
  return {plain.passes / real >= kHighest ? MatrixType::kF32Highest : MatrixType::kF32, real};
}

// The share of the peak that a large product attains.
double attained_share(MatrixType type, const MatrixUnit& unit, MissingNumbers* missing) {
  if (is_rounded_f32(type)) return number_or(unit.efficiency_f32, unit.efficiency, missing);
  if (type == MatrixType::kF8) return number_or(unit.efficiency_f8, unit.efficiency, missing);
  if (type == MatrixType::kS8) return number_or(unit.efficiency_s8, unit.efficiency, missing);
  return unit.efficiency;
}

// A product that a user's program computes tile by tile. The programs run in waves, and the last wave leaves
// multiprocessors idle.
MatrixTerms program_terms(const MatrixWork& product, double rate, double attained, const GpuCore& core,
                          MissingNumbers* missing) {
  MatrixTerms terms;
  terms.attained = product.is_for_threads ? attained : number_or(core.program.matrix_efficiency, attained, missing);
  terms.seconds = product.flops / (rate * terms.attained) * idle_factor(product.programs, core);
  return terms;
}

MatrixTerms plain_terms(const MatrixWork& product, double rate, double attained) {
  MatrixTerms terms;
  terms.seconds = product.flops / (rate * attained);
  terms.attained = attained;
  return terms;
}

}  // namespace

std::optional<ProductPeak> product_peak(const MatrixWork& product, const Device& device, MissingNumbers* missing) {
  const Multiplication as = multiplication(product, device);
  const MatrixRate peak = matrix_rate(device.matrix.peak, as.type);
  if (peak.unknown != nullptr && missing != nullptr) missing->add(peak.unknown);
  if (!peak.rate || *peak.rate <= 0) return std::nullopt;
  return ProductPeak{as.type, *peak.rate / as.passes};
}

double matrix_peak_seconds(const MatrixWork& product, const Device& device) {
  const std::optional<ProductPeak> peak = product_peak(product, device);
  return peak ? product.flops / peak->rate : 0;
}

double matrix_launch_seconds(const MatrixWork& product, const Device& device, MissingNumbers* missing) {
  const GpuCore* const core = device.gpu();
  if (core == nullptr || product.programs > 0) return 0;
  const double seconds = core->overhead.matmul;
  const bool is_f32 = is_rounded_f32(multiplication(product, device).type);
  return is_f32 ? number_or(core->overhead.matmul_f32, seconds, missing) : seconds;
}

MatrixTerms matrix_terms(const MatrixWork& product, const Device& device, MissingNumbers* missing) {
  const std::optional<ProductPeak> peak = product_peak(product, device, missing);
  if (!peak) return {};
  const double attained = attained_share(peak->type, device.matrix, missing);
  MatrixTerms terms;
  if (product.programs > 0 && device.gpu() != nullptr) {
    terms = program_terms(product, peak->rate, attained, *device.gpu(), missing);
  } else if (product.is_shape_known && device.tpu() != nullptr) {
    terms = systolic_terms(product, *peak, device, *device.tpu(), missing);
    terms.seconds /= attained;
    terms.attained = attained;
  } else if (product.is_shape_known && device.gpu() != nullptr) {
    terms = gpu_tile_terms(product, *peak, attained, device, *device.gpu(), missing);
  } else {
    terms = plain_terms(product, peak->rate, attained);
  }
  terms.rate = peak->rate;
  return terms;
}

}  // namespace hloroof::internal
