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
#include <iterator>

#include "hloroof/span.h"
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

// How a device multiplies the operands of a product. A TPU splits f32 into bf16 parts, one pass a pair of them. A GPU
// rounds f32 to TF32 (DEFAULT, HIGH) or leaves its tensor cores alone (HIGHEST), and splits only where an algorithm
// says so (openxla/xla xla/service/gpu/matmul_utils.cc, 2026-08-22).
struct Multiplication {
  MatrixType type = MatrixType::kBf16;
  int passes = 1;
};
Multiplication multiplication(const MatrixWork& product, const Device& device) {
  const Multiplication plain = {matrix_type(product), std::max(product.passes, 1)};
  if (device.family != DeviceFamily::kGpu || plain.type != MatrixType::kF32) return plain;
  switch (product.multiplied_as) {
    case MultipliedAs::kBf16: return {MatrixType::kBf16, plain.passes};
    case MultipliedAs::kF16: return {MatrixType::kF16, plain.passes};
    case MultipliedAs::kTf32: return {MatrixType::kTf32, plain.passes};
    case MultipliedAs::kF32: return {MatrixType::kF32Highest, 1};
    case MultipliedAs::kUnset: break;
  }
  constexpr int kHighest = 6;                                                   // passes of a TPU
  const int real = is_complex(product.lhs) || is_complex(product.rhs) ? 4 : 1;  // products of a complex one
  return {plain.passes / real >= kHighest ? MatrixType::kF32Highest : MatrixType::kF32, real};
}

bool is_rounded_f32(MatrixType type) { return type == MatrixType::kF32 || type == MatrixType::kTf32; }

// Registers of `rows` rows that hold `extent` rows of weights, in tiles of `tile` rows: a tile that is not full takes
// no more than there is to load.
double loaded_registers(double extent, double rows, double tile) {
  const double full = std::floor(extent / tile);
  return full * tiles_of(tile, rows) + (extent > full * tile ? tiles_of(extent - full * tile, rows) : 0);
}

// One way to lay the product: the K x N operand stays, M rows stream past it.
MatrixTerms systolic_terms(double m, double n, double k, const MatrixWork& product, double rate, const Device& device) {
  const double s = static_cast<double>(*device.matrix.dim);
  MatrixTerms terms;
  terms.form = MatrixForm::kSystolic;
  terms.rows = tiles_of(m, kRegisterSublanes) * kRegisterSublanes;
  terms.row_rate = rate / (2 * s * s);  // over all arrays
  terms.k_tiles = tiles_of(k, s);
  terms.n_tiles = tiles_of(n, s);
  const double tiles = terms.k_tiles * terms.n_tiles * product.batch;
  terms.compute = tiles * terms.rows / terms.row_rate;
  const MatrixType type = matrix_type(product);
  const double cycles = latch_cycles(device.matrix.latch_cycles, type);
  if (device.clock && device.matrix.count && cycles > 0) {
    const double rows = kRegisterSublanes * kRegisterBits / type_bits(type);
    // Weights are pushed as they lie or transposed, whichever takes fewer registers.
    terms.registers = product.batch * std::min(loaded_registers(k, rows, s) * terms.n_tiles,
                                               loaded_registers(n, rows, s) * terms.k_tiles);
    terms.operands =
        terms.registers * cycles * product.passes / (static_cast<double>(*device.matrix.count) * *device.clock);
  }
  terms.seconds = std::max(terms.compute, terms.operands);
  return terms;
}

MatrixTerms systolic_terms(const MatrixWork& product, double rate, const Device& device) {
  const double m = product.m * product.m_padding;
  const double n = product.n * product.n_padding;
  const double k = product.k * product.k_padding;
  const MatrixTerms straight = systolic_terms(m, n, k, product, rate, device);
  MatrixTerms swapped = systolic_terms(n, m, k, product, rate, device);
  swapped.is_swapped = true;
  return swapped.seconds < straight.seconds ? swapped : straight;
}

// Tiles dealt out over the multiprocessors in waves; K cut in parts where that keeps more of them busy. A wave takes as
// long as the tensor cores need for a tile, or as its operands need to arrive, all blocks drawing on the level-2 cache;
// parts are written and read back once more to be summed. The tile the compiler chose, or the best of those that
// libraries have in store.
MatrixTerms wave_terms(const MatrixWork& product, double rate, const Device& device) {
  struct Tile {
    double m;
    double n;
  };
  const Tile given{product.tile_m, product.tile_n};
  const bool is_given = given.m > 0 && given.n > 0;
  const double largest = static_cast<double>(device.matrix.largest_tile.value_or(128));
  const Tile stored[] = {{64, 128}, {128, 64}, {128, 128}, {largest, largest}};
  const Span<Tile> tiles = is_given ? Span<Tile>(&given, 1) : Span<Tile>(stored, std::size(stored));
  constexpr double kLeastK = 512;       // of a part
  constexpr double kPartBytes = 2 * 4;  // a part of the sum is f32, written and read
  const double units = static_cast<double>(std::max<std::int64_t>(*device.vector.compute_units, 1));
  const double operand_rate = device.matrix.operand_bandwidth.value_or(0);
  const double wave = device.overhead.wave.value_or(0);
  const double bytes_k = product.k * (bits(product.lhs) + bits(product.rhs)) / 16.0;  // of a row, mean of the operands
  MatrixTerms best;
  for (const Tile& tile : tiles) {
    for (const double parts : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      if (parts > 1 && (is_given || product.k / parts < kLeastK)) continue;
      MatrixTerms terms;
      terms.form = MatrixForm::kWaves;
      terms.tile_m = tile.m;
      terms.tile_n = tile.n;
      terms.parts = parts;
      terms.blocks = product.batch * tiles_of(product.m, tile.m) * tiles_of(product.n, tile.n) * parts;
      terms.waves = std::ceil(terms.blocks / units);
      terms.compute = terms.waves * units * 2 * tile.m * tile.n * (product.k / parts) / rate;
      if (operand_rate > 0) {
        terms.operands = terms.blocks * (tile.m + tile.n) * bytes_k / parts / operand_rate;
        if (parts > 1) terms.joining = parts * product.batch * product.m * product.n * kPartBytes / operand_rate;
      }
      if (parts > 1) terms.joining += device.overhead.split.value_or(parts * device.overhead.op / 2);
      // Small blocks of a compiler's own choice share a multiprocessor, and start while others work.
      const double resident = is_given ? std::max(std::floor(128 * 128 / (tile.m * tile.n)), 1.0) : 1;
      terms.starting = std::ceil(terms.waves / resident) * wave;
      terms.seconds = std::max(terms.compute, terms.operands) + terms.starting + terms.joining;
      if (best.form == MatrixForm::kPlain || terms.seconds < best.seconds) best = terms;
    }
  }
  return best;
}

// Whether the libraries cut K in equal pieces for all multiprocessors (stream-K) rather than hand out whole tiles: for
// few tiles of 128 x 128 against a long K, and sooner for products four times as wide as high.
bool is_streamed(const MatrixWork& product, double units) {
  const double tiles = tiles_of(product.m, 128) * tiles_of(product.n, 128);
  const bool is_wide = product.n >= 4 * product.m && tiles <= units / 8;
  const double least_k = is_wide ? std::max(1024.0, 64 * tiles) : std::max(2048.0, 256 * tiles);
  return product.k >= least_k && product.batch * tiles <= units / (is_wide ? 4 : 8);
}

// As the libraries do for TF32 on a Hopper GPU: not the tile that would be fastest, but the largest that gives `fill`
// of the multiprocessors a block (256 x 128 for batches, whose kernels have it; else 128 x 128), or else the smallest;
// tall products of a long K take the smallest if its blocks run all at once. The clock falls as more multiprocessors
// work: alone a block attains the peak, among all of them `attained` of it. Each draws on the level-2 cache at its
// share, and the results of the last wave are stored with nothing left to hide behind.
MatrixTerms filling_terms(const MatrixWork& product, double peak, double fill, double attained, const Device& device) {
  const double units = static_cast<double>(std::max<std::int64_t>(*device.vector.compute_units, 1));
  MatrixTerms terms;
  terms.attained = 1;
  if (is_streamed(product, units)) {
    terms.form = MatrixForm::kStreamed;
    terms.compute = product.flops / peak;
    terms.joining = device.overhead.split.value_or(0);
    terms.seconds = terms.compute + terms.joining;
    return terms;
  }
  terms.form = MatrixForm::kWaves;
  const auto take = [&](double m, double n) {
    terms.tile_m = m;
    terms.tile_n = n;
    terms.blocks = product.batch * tiles_of(product.m, m) * tiles_of(product.n, n);
    return terms.blocks >= fill * units;
  };
  const bool is_tall = product.m >= product.n;
  const bool is_large = product.batch > 1 && take(is_tall ? 256 : 128, is_tall ? 128 : 256);
  const bool is_long = product.m >= 4 * product.n && product.k >= 2048;
  if (!is_large && (!take(128, 128) || (is_long && 2 * terms.blocks <= units))) is_tall ? take(128, 64) : take(64, 128);
  terms.waves = std::ceil(terms.blocks / units);
  const double loaded = terms.blocks / (terms.waves * units);
  terms.attained = 1 / (1 - loaded + loaded / attained);
  terms.compute = terms.waves * units * 2 * terms.tile_m * terms.tile_n * product.k / (peak * terms.attained);
  if (device.matrix.operand_bandwidth) {
    const double operand_bytes = (bits(product.lhs) + bits(product.rhs)) / 16.0;  // mean of the operands
    terms.operands = terms.waves * units * (terms.tile_m + terms.tile_n) * product.k * operand_bytes /
                     *device.matrix.operand_bandwidth;
  }
  terms.starting = terms.waves * device.overhead.wave.value_or(0);
  if (device.hbm.bandwidth > 0) {
    terms.storing = product.batch * product.m * product.n * bits(product.out) / 8.0 / terms.waves /
                    (device.hbm.bandwidth * device.hbm.write_efficiency.value_or(device.hbm.efficiency));
  }
  terms.seconds = std::max(terms.compute, terms.operands) + terms.starting + terms.storing;
  return terms;
}

}  // namespace

std::optional<ProductPeak> product_peak(const MatrixWork& product, const Device& device) {
  const Multiplication as = multiplication(product, device);
  const std::optional<double> rate = device.matrix.rate(as.type);
  if (!rate || *rate <= 0) return std::nullopt;
  return ProductPeak{as.type, *rate / as.passes};
}

double matrix_peak_seconds(const MatrixWork& product, const Device& device) {
  const std::optional<ProductPeak> peak = product_peak(product, device);
  return peak ? product.flops / peak->rate : 0;
}

double matrix_launch_seconds(const MatrixWork& product, const Device& device) {
  const double seconds = device.overhead.matmul.value_or(0);
  return is_rounded_f32(multiplication(product, device).type) ? device.overhead.matmul_f32.value_or(seconds) : seconds;
}

MatrixTerms matrix_terms(const MatrixWork& product, const Device& device) {
  MatrixTerms terms;
  const std::optional<ProductPeak> peak = product_peak(product, device);
  if (!peak) return terms;
  const double rate = peak->rate;
  double attained = device.matrix.efficiency > 0 ? device.matrix.efficiency : 1;
  const MatrixType type = peak->type;
  if (is_rounded_f32(type)) attained = device.matrix.efficiency_f32.value_or(attained);
  if (type == MatrixType::kF8) attained = device.matrix.efficiency_f8.value_or(attained);
  if (type == MatrixType::kS8) attained = device.matrix.efficiency_s8.value_or(attained);
  terms.attained = attained;
  if (product.is_shape_known && device.matrix.dim) {
    terms = systolic_terms(product, rate, device);
    terms.seconds /= attained;
    terms.attained = attained;
  } else if (product.is_shape_known && device.family == DeviceFamily::kGpu && device.vector.compute_units) {
    if (is_rounded_f32(type) && device.matrix.fill_f32 && product.tile_m <= 0) {
      terms = filling_terms(product, rate, *device.matrix.fill_f32, attained, device);
    } else {
      terms = wave_terms(product, rate * attained, device);
      terms.attained = attained;
    }
  } else {
    terms.seconds = product.flops / (rate * attained);
  }
  terms.rate = rate;
  return terms;
}

double matrix_seconds(const MatrixWork& product, const Device& device) { return matrix_terms(product, device).seconds; }

}  // namespace hloroof::inline v0
