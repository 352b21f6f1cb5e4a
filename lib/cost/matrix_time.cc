// Seconds on the matrix unit.
//
// TPU: weight-stationary systolic arrays. An array of S x S weights takes in `rows_per_cycle` left-hand rows of S
// values a cycle; K and N are cut into tiles of S, M into registers of 8 rows. Loading (latching) the weights of a tile
// hides behind the streaming of the one before, so that few rows a tile leave the array waiting for weights.
//
// GPU: thread-block tiles dealt out over the multiprocessors in waves.
//
// Sources: xla/benchmarks/core/platform_info.py for the cadences; openxla/xla xla/service/gpu/model, 2026-08-22, for
// tiles and split K.
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

double latch_cycles(const MatrixCycles& cycles, MatrixType type) {
  std::optional<double> own;
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest: own = cycles.f32; break;
    case MatrixType::kF8: own = cycles.f8; break;
    case MatrixType::kS8: own = cycles.s8; break;
    case MatrixType::kS4: own = cycles.s4; break;
    default: break;
  }
  return own ? *own : cycles.bf16.value_or(0);
}

double type_bits(MatrixType type) {
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest:
    case MatrixType::kTf32: return 32;
    case MatrixType::kF64: return 64;
    case MatrixType::kF8:
    case MatrixType::kS8: return 8;
    case MatrixType::kF4:
    case MatrixType::kS4: return 4;
    default: return 16;
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

// Tiles dealt out over the multiprocessors in waves; K cut in parts where that keeps more of them busy. A wave takes as
// long as the tensor cores need for a tile, or as its operands need to arrive, all blocks drawing on the level-2 cache;
// parts are written and read back once more to be summed. The best of the tiles that libraries have in store.
double wave_seconds(const MatrixWork& product, double rate, const Device& device) {
  struct Tile {
    double m;
    double n;
  };
  constexpr Tile kTiles[] = {{64, 128}, {128, 128}};
  constexpr double kLeastK = 512;       // of a part
  constexpr double kPartBytes = 2 * 4;  // a part of the sum is f32, written and read
  const double units = static_cast<double>(std::max<std::int64_t>(*device.vector.compute_units, 1));
  const double operand_rate = device.matrix.operand_bandwidth.value_or(0);
  const double wave = device.overhead.wave.value_or(0);
  const double bytes_k = product.k * (bits(product.lhs) + bits(product.rhs)) / 16.0;  // of a row, mean of the operands
  double best = 0;
  for (const Tile& tile : kTiles) {
    for (const double parts : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      if (parts > 1 && product.k / parts < kLeastK) continue;
      const double blocks = product.batch * tiles_of(product.m, tile.m) * tiles_of(product.n, tile.n) * parts;
      const double waves = std::ceil(blocks / units);
      const double compute = waves * units * 2 * tile.m * tile.n * (product.k / parts) / rate;
      double operands = 0;
      double joining = 0;
      if (operand_rate > 0) {
        operands = blocks * (tile.m + tile.n) * bytes_k / parts / operand_rate;
        if (parts > 1) joining = parts * product.batch * product.m * product.n * kPartBytes / operand_rate;
      }
      if (parts > 1) joining += device.overhead.split.value_or(parts * device.overhead.op / 2);
      const double seconds = std::max(compute, operands) + waves * wave + joining;
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

double matrix_launch_seconds(const MatrixWork& product, const Device& device) {
  const double seconds = device.overhead.matmul.value_or(0);
  return matrix_type(product) == MatrixType::kF32 ? device.overhead.matmul_f32.value_or(seconds) : seconds;
}

double matrix_seconds(const MatrixWork& product, const Device& device) {
  const auto rate = rate_of(product, device);
  if (!rate) return 0;
  double attained = device.matrix.efficiency > 0 ? device.matrix.efficiency : 1;
  const MatrixType type = matrix_type(product);
  if (type == MatrixType::kF32) attained = device.matrix.efficiency_f32.value_or(attained);
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
