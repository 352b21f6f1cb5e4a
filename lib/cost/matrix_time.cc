// Seconds on the matrix unit.
//
// TPU: weight-stationary systolic arrays. An array of S x S weights takes in `rows_per_cycle` left-hand rows of S values a
// cycle; K and N are cut into tiles of S, M into registers of 8 rows. Loading (latching) the weights of a tile hides behind
// the streaming of the one before, so that few rows a tile leave the array waiting for weights.
// GPU: thread-block tiles dealt out over the multiprocessors in waves.
// Sources: xla/benchmarks/core/platform_info.py for the cadences; the cost-model notes of XLA's GPU tables (tiles and split K)
// in openxla/xla xla/service/gpu/model, 2026-08-22.
#include <algorithm>
#include <cmath>

#include "lib/cost/op_time.h"

namespace hloroof::inline v0 {
namespace {

constexpr double kRegisterSublanes = 8;
constexpr double kRegisterBits = 32;

double tiles_of(double n, double tile) { return std::ceil(std::max(n, 1.0) / tile); }

MatrixType matrix_type(const MatrixWork& product) {
  // The wider of the two operands decides: a narrow one is converted to it.
  const ElementType type = bits(product.lhs) >= bits(product.rhs) ? product.lhs : product.rhs;
  switch (type) {
    case ElementType::kF16:
      return MatrixType::kF16;
    case ElementType::kF32:
    case ElementType::kC64:
      return MatrixType::kF32;
    case ElementType::kF64:
    case ElementType::kC128:
      return MatrixType::kF64;
    case ElementType::kS8:
    case ElementType::kU8:
    case ElementType::kPred:
      return MatrixType::kS8;
    case ElementType::kS4:
    case ElementType::kU4:
    case ElementType::kS2:
    case ElementType::kU2:
      return MatrixType::kS4;
    case ElementType::kF4e2m1fn:
      return MatrixType::kF4;
    default:
      break;
  }
  if (is_floating(type) && bits(type) == 8) return MatrixType::kF8;
  return is_integral(type) ? MatrixType::kF32 : MatrixType::kBf16;
}

double latch_cycles(const MatrixCycles& cycles, MatrixType type) {
  std::optional<double> own;
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest:
      own = cycles.f32;
      break;
    case MatrixType::kF8:
      own = cycles.f8;
      break;
    case MatrixType::kS8:
      own = cycles.s8;
      break;
    case MatrixType::kS4:
      own = cycles.s4;
      break;
    default:
      break;
  }
  return own ? *own : cycles.bf16.value_or(0);
}

double type_bits(MatrixType type) {
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest:
    case MatrixType::kTf32:
      return 32;
    case MatrixType::kF64:
      return 64;
    case MatrixType::kF8:
    case MatrixType::kS8:
      return 8;
    case MatrixType::kF4:
    case MatrixType::kS4:
      return 4;
    default:
      return 16;
  }
}

// The rate that the unit really has for `product`, passes included; nothing if the unit cannot multiply such operands.
std::optional<double> rate_of(const MatrixWork& product, const Device& device) {
  const MatrixType type = matrix_type(product);
  std::optional<double> rate = device.matrix.rate(type);
  if (!rate || *rate <= 0) return std::nullopt;
  return *rate / std::max(product.passes, 1);
}

// One way to lay the product: the K x N operand stays, M rows stream past it.
double systolic_seconds(double m, double n, double k, const MatrixWork& product, double rate, const Device& device) {
  const double s = static_cast<double>(*device.matrix.dim);
  const double rows_a_second = rate / (2 * s * s);  // over all arrays
  const double tiles = tiles_of(k, s) * tiles_of(n, s) * product.batch;
  const double rows = tiles_of(m, kRegisterSublanes) * kRegisterSublanes;
  const double stream = tiles * rows / rows_a_second;
  double latch = 0;
  const MatrixType type = matrix_type(product);
  const double cycles = latch_cycles(device.matrix.latch_cycles, type);
  if (device.clock && device.matrix.count && cycles > 0) {
    const double registers = s / (kRegisterSublanes * kRegisterBits / type_bits(type));
    latch = tiles * registers * cycles * product.passes / (static_cast<double>(*device.matrix.count) * *device.clock);
  }
  return std::max(stream, latch);
}

double systolic_seconds(const MatrixWork& product, double rate, const Device& device) {
  return std::min(systolic_seconds(product.m, product.n, product.k, product, rate, device),
                  systolic_seconds(product.n, product.m, product.k, product, rate, device));
}

// Tiles dealt out over the multiprocessors; a K cut in parts when there are too few tiles to go round.
double wave_seconds(const MatrixWork& product, double rate, const Device& device) {
  struct Tile {
    double m;
    double n;
  };
  constexpr Tile kTiles[] = {{64, 64}, {128, 128}, {128, 256}};
  constexpr double kLeastK = 256;  // of a part
  const double units = static_cast<double>(std::max<std::int64_t>(*device.vector.compute_units, 1));
  double best = 0;
  for (const Tile& tile : kTiles) {
    for (const double split : {1.0, 2.0, 4.0, 8.0}) {
      if (split > 1 && product.k / split < kLeastK) continue;
      const double blocks = product.batch * tiles_of(product.m, tile.m) * tiles_of(product.n, tile.n) * split;
      const double waves = std::ceil(blocks / units);
      const double seconds = waves * units * 2 * tile.m * tile.n * (product.k / split) / rate +
                             (split > 1 ? split * device.overhead.op / 2 : 0);
      if (best == 0 || seconds < best) best = seconds;
    }
  }
  return best;
}

}  // namespace

double matrix_peak_seconds(const MatrixWork& product, const Device& device) {
  const auto rate = rate_of(product, device);
  return rate ? product.flops / *rate : 0;
}

double matrix_seconds(const MatrixWork& product, const Device& device) {
  const auto rate = rate_of(product, device);
  if (!rate) return 0;
  double attained = device.matrix.efficiency > 0 ? device.matrix.efficiency : 1;
  const MatrixType type = matrix_type(product);
  if (type == MatrixType::kF8) attained = device.matrix.efficiency_f8.value_or(attained);
  if (type == MatrixType::kS8) attained = device.matrix.efficiency_s8.value_or(attained);
  if (!product.is_shape_known) return product.flops / (*rate * attained);
  if (device.matrix.dim) return systolic_seconds(product, *rate, device) / attained;
  if (device.family == DeviceFamily::kGpu && device.vector.compute_units) {
    return wave_seconds(product, *rate * attained, device);
  }
  return product.flops / (*rate * attained);
}

}  // namespace hloroof::inline v0
