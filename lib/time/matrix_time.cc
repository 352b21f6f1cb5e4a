// Computes the seconds of the matrix unit. Determines the type and the number of passes of a product, and selects the
// model of its time by the kind of the unit. A unit of which only the peaks are known is a plain roof.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lib/hardware/matrix_rate.h"
#include "lib/ir/element_type.h"
#include "lib/time/matrix_forms.h"
#include "lib/time/sustained_rate.h"
#include "lib/work/contraction.h"

namespace hloroof::internal::inline time {
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
  const int real = is_complex(product.lhs) || is_complex(product.rhs) ? 4 : 1;  // real products of a complex one
  return {plain.passes / real >= kPassesAtHighest ? MatrixType::kF32Highest : MatrixType::kF32, real};
}

// Whether a unit multiplies elements of a type of 8 bits or fewer as they are. If its rate for the type is no higher
// than that for bf16, it is given bf16.
bool is_native(ElementType type, const MatrixPeak& peak) {
  MatrixWork alone;
  alone.lhs = alone.rhs = type;
  return matrix_rate(peak, matrix_type(alone)).rate > matrix_rate(peak, MatrixType::kBf16).rate;
}

// The share of the peak that large products of the type attain, if it has one of its own; else null.
const Fact<double>* own_share(MatrixType type, const MatrixUnit& unit) {
  if (is_rounded_f32(type)) return &unit.efficiency_f32;
  if (type == MatrixType::kF8) return &unit.efficiency_f8;
  return type == MatrixType::kS8 ? &unit.efficiency_s8 : nullptr;
}

// The share of the peak that a large product attains.
template <class Num>
Num attained_share(MatrixType type, const MatrixUnit& unit, const Numbers<Num>& n) {
  const Num plain = n.at(unit.efficiency);
  const Fact<double>* const own = own_share(type, unit);
  return own != nullptr ? n.known_or(*own, plain) : plain;
}

// The share that a library or the compiler attains on a GPU if the rows of an operand are not aligned; null if they
// are.
const Fact<double>* unaligned_share(const MatrixWork& product, const Device& device) {
  const GpuCore* const core = device.gpu();
  if (core == nullptr || !product.is_unaligned || product.programs > 0) return nullptr;
  return core->matrix.efficiency_unaligned ? &core->matrix.efficiency_unaligned : nullptr;
}

// That share of a program on tiles; null for one for threads, which attains what other products do.
const Fact<double>* program_share(const MatrixWork& product, const GpuCore& core) {
  return product.is_for_threads ? nullptr : &core.program.matrix_efficiency;
}

template <class Num>
MatrixTime<Num> plain_time(const MatrixWork& product, const Num& rate, const Num& attained, const Numbers<Num>& n) {
  MatrixTime<Num> time;
  time.attained = attained;
  time.seconds = n.amount("matrix product", product.flops, "flop") / (rate * attained);
  return time;
}

// A product that a user's program computes tile by tile. The programs run in waves, and the last wave leaves
// multiprocessors idle.
template <class Num>
MatrixTime<Num> program_time(const MatrixWork& product, const Num& rate, const Num& attained, const GpuCore& core,
                             const Numbers<Num>& n) {
  const Fact<double>* const share = program_share(product, core);
  MatrixTime<Num> time = plain_time(product, rate, share != nullptr ? n.known_or(*share, attained) : attained, n);
  time.seconds = time.seconds * idle_factor(product.programs, core, n);
  return time;
}

}  // namespace

void add_conversions(const MatrixWork& product, const Device& device, std::vector<VectorWork>& work) {
  if (device.tpu() == nullptr || product.window_positions > 1 || !product.is_shape_known) return;
  const auto add = [&](ElementType type, ElementType other, double elements) {
    constexpr int kNarrow = 8;
    if (bits(type) > kNarrow || (bits(type) >= bits(other) && is_native(type, device.matrix.peak))) return;
    work.push_back({Opcode::kConvert, type, elements, false, ElementType::kBf16});
  };
  add(product.lhs, product.rhs, product.m * product.k * product.batch * product.lhs_uses);
  add(product.rhs, product.lhs, product.n * product.k * product.batch * product.rhs_uses);
}

template <class Num>
std::optional<ProductPeak<Num>> product_peak(const MatrixWork& product, const Numbers<Num>& n) {
  const Multiplication as = multiplication(product, n.device());
  const MatrixRate peak = matrix_rate(n.device().matrix.peak, as.type);
  if (peak.unknown != nullptr && n.missing() != nullptr) n.missing()->add(peak.unknown);
  if (!peak.rate || *peak.rate <= 0) return std::nullopt;
  const auto passes = static_cast<double>(as.passes);
  return ProductPeak<Num>{as.type, n.at(*peak.rate, peak.slot) / passes, passes, peak.slot};
}
template std::optional<ProductPeak<double>> product_peak(const MatrixWork&, const Numbers<double>&);
template std::optional<ProductPeak<Traced>> product_peak(const MatrixWork&, const Numbers<Traced>&);

double matrix_peak_seconds(const MatrixWork& product, const Device& device) {
  const std::optional<ProductPeak<double>> peak = product_peak(product, device);
  return peak ? product.flops / peak->rate : 0;
}

template <class Num>
Num matrix_launch_seconds(const MatrixWork& product, const Numbers<Num>& n) {
  const GpuCore* const core = n.device().gpu();
  if (core == nullptr || product.programs > 0) return 0.0;
  const bool is_f32 = is_rounded_f32(multiplication(product, n.device()).type);
  const Num plain = n.at(core->overhead.matmul);
  return n.amount("matmul kernel", 1, "") * (is_f32 ? n.known_or(core->overhead.matmul_f32, plain) : plain);
}
template double matrix_launch_seconds(const MatrixWork&, const Numbers<double>&);
template Traced matrix_launch_seconds(const MatrixWork&, const Numbers<Traced>&);

const void* deciding_rate(const MatrixWork& product, const Device& device, double products_busy) {
  const std::optional<ProductPeak<double>> peak = product_peak(product, device);
  if (!peak) return nullptr;
  if (const Fact<double>* const rate = attention_rate(product, peak->type, device)) return rate;
  if (const GpuCore* const core = device.gpu(); core != nullptr && product.programs > 0) {
    if (const Fact<double>* const share = program_share(product, *core); share != nullptr && *share) return share;
  }
  const Fact<double>* const capped = rate_at_cap(product, peak->slot, device);
  if (capped != nullptr && *capped && sustained_share(products_busy, device) > 0.5) return capped;
  if (const Fact<double>* const unaligned = unaligned_share(product, device)) return unaligned;
  const Fact<double>* const own = own_share(peak->type, device.matrix);
  if (own != nullptr && *own) return own;
  return &device.matrix.efficiency;
}

template <class Num>
MatrixTime<Num> matrix_time(const MatrixWork& product, const Numbers<Num>& n, double products_busy) {
  const std::optional<ProductPeak<Num>> peak = product_peak(product, n);
  if (!peak) return {};
  const Device& device = n.device();
  const Fact<double>* const unaligned = unaligned_share(product, device);
  const Num attained =
      unaligned != nullptr ? n.at(**unaligned, unaligned) : attained_share(peak->type, device.matrix, n);
  MatrixTime<Num> time;
  if (std::optional<MatrixTime<Num>> attention = attention_time(product, *peak, n)) {
    time = *std::move(attention);
  } else if (product.programs > 0 && device.gpu() != nullptr) {
    time = program_time(product, peak->rate, attained, *device.gpu(), n);
  } else if (product.is_shape_known && device.tpu() != nullptr) {
    time = systolic_time(product, *peak, *device.tpu(), n);
    time.seconds = time.seconds / attained;
    time.attained = attained;
  } else if (product.is_shape_known && device.gpu() != nullptr) {
    time = gpu_tile_time(product, *peak, attained, *device.gpu(), n);
  } else {
    time = plain_time(product, peak->rate, attained, n);
  }
  time.rate = value(peak->rate);
  time.seconds = capped_seconds(product, std::move(time.seconds), peak->passes, peak->slot, products_busy, n);
  return time;
}
template MatrixTime<double> matrix_time(const MatrixWork&, const Numbers<double>&, double);
template MatrixTime<Traced> matrix_time(const MatrixWork&, const Numbers<Traced>&, double);

}  // namespace hloroof::internal::inline time
