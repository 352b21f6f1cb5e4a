// Computes the seconds of a product on a GPU. Thread-block tiles are distributed over the multiprocessors in waves, or
// K is split into equal pieces.
//
// Source: openxla/xla xla/service/gpu/model, 2026-08-22, for tiles and split K.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/types/span.h"
#include "hloroof/shape.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/ir/element_type.h"
#include "lib/time/matrix_forms.h"

namespace hloroof::internal {
namespace {

constexpr double kPartBytes = 2 * 4;  // a partial sum is f32; it is written and read

double units_of(const GpuCore& core) { return std::max(static_cast<double>(core.vector.compute_units), 1.0); }

double tile_of(const GpuCore& core) { return static_cast<double>(core.matrix.tile); }

// The bytes of one element, averaged over the two operands.
double operand_bytes(const MatrixWork& product) { return (bits(product.lhs) + bits(product.rhs)) / 16.0; }

// The time to join the parts of K, without the time to move their bytes.
double joining_seconds(double parts, const GpuCore& core, MissingNumbers* missing) {
  if (core.overhead.split) return *core.overhead.split;
  return parts * number_or(core.overhead.split_part, 0.0, missing);
}

// The time of a product in waves. K is split into parts if that keeps more multiprocessors busy. A wave takes the
// longer of two times: the time that the tensor cores need for a tile, and the time until its operands arrive, for
// which all blocks share the bandwidth of the level-2 cache. Parts are written once and read back to be summed. A part
// has a least length; a shorter K in as many parts takes as long as if it were padded, so that a product never takes
// longer than one with a larger K. The tile is the one that the compiler chose, or else the fastest of those that
// libraries have.
MatrixTerms wave_terms(const MatrixWork& product, double rate, const GpuCore& core, MissingNumbers* missing) {
  struct Tile {
    double m;
    double n;
  };
  const Tile given{product.tile_m, product.tile_n};
  const bool is_given = given.m > 0 && given.n > 0;
  const double side = tile_of(core);
  const double narrow = static_cast<double>(core.matrix.narrow_tile);
  const double largest = static_cast<double>(core.matrix.largest_tile);
  const Tile stored[] = {{narrow, side}, {side, narrow}, {side, side}, {largest, largest}};
  const absl::Span<const Tile> tiles =
      is_given ? absl::Span<const Tile>(&given, 1) : absl::Span<const Tile>(stored, std::size(stored));
  const double units = units_of(core);
  const double operand_rate = number_or(core.matrix.operand_bandwidth, 0.0, missing);
  const double wave = number_or(core.overhead.wave, 0.0, missing);
  MatrixTerms best;
  for (const Tile& tile : tiles) {
    for (double parts = 1; parts <= core.matrix.most_parts; parts *= 2) {
      if (parts > 1 && is_given) continue;
      MatrixTerms terms;
      terms.part_k = parts > 1 ? std::max(product.k / parts, static_cast<double>(core.matrix.least_part_k)) : product.k;
      terms.form = MatrixForm::kWaves;
      terms.tile_m = tile.m;
      terms.tile_n = tile.n;
      terms.parts = parts;
      terms.blocks = product.batch * tiles_of(product.m, tile.m) * tiles_of(product.n, tile.n) * parts;
      terms.waves = std::ceil(terms.blocks / units);
      terms.compute = terms.waves * units * 2 * tile.m * tile.n * terms.part_k / rate;
      if (operand_rate > 0) {
        terms.operands = terms.blocks * (tile.m + tile.n) * terms.part_k * operand_bytes(product) / operand_rate;
        if (parts > 1) terms.joining = parts * product.batch * product.m * product.n * kPartBytes / operand_rate;
      }
      if (parts > 1) terms.joining += joining_seconds(parts, core, missing);
      // Small blocks that the compiler chose share a multiprocessor, and some start while others compute.
      const double resident = is_given ? std::max(std::floor(side * side / (tile.m * tile.n)), 1.0) : 1;
      terms.starting = std::ceil(terms.waves / resident) * wave;
      terms.seconds = std::max(terms.compute, terms.operands) + terms.starting + terms.joining;
      if (best.form == MatrixForm::kPlain || terms.seconds < best.seconds) best = terms;
    }
  }
  return best;
}

// The K from which on the rule of StreamK applies to `product`; infinite if it never does.
double least_streamed_k(const MatrixWork& product, double units, const GpuCore& core, MissingNumbers* missing) {
  const StreamK& rule = core.matrix.stream_k;
  const auto number = [missing](const Fact<double>& n) { return number_or(n, 0.0, missing); };
  const double tiles = tiles_of(product.m, tile_of(core)) * tiles_of(product.n, tile_of(core));
  const bool is_wide = product.n >= number(rule.wide_ratio) * product.m && tiles <= units * number(rule.share);
  const double least_k = is_wide ? std::max(number(rule.least_k_wide), number(rule.k_per_tile_wide) * tiles)
                                 : std::max(number(rule.least_k), number(rule.k_per_tile) * tiles);
  const double most_tiles = units * (is_wide ? number(rule.share_wide) : number(rule.share));
  return product.batch * tiles <= most_tiles ? least_k : std::numeric_limits<double>::infinity();
}

// Follows the libraries' choice for TF32 on a Hopper GPU, which is not always the fastest tile. They choose the largest
// tile that provides blocks for the share `fill` of the multiprocessors, or else the smallest tile. For batches, whose
// kernels have it, the largest tile is that of `batch_tile`; otherwise it is the plain one. Tall products with a long K
// take the smallest tile if its blocks run all at once. The clock falls as more multiprocessors work: a single block
// attains the peak, and blocks on all multiprocessors attain the share `attained` of it. Each multiprocessor has an
// equal share of the level-2 cache's bandwidth. Nothing overlaps the storing of the last wave's results.
MatrixTerms filling_terms(const MatrixWork& product, double peak, double fill, double attained, const Device& device,
                          const GpuCore& core, MissingNumbers* missing) {
  const double units = units_of(core);
  const double side = tile_of(core);
  const double narrow = static_cast<double>(core.matrix.narrow_tile);
  const StreamK& rule = core.matrix.stream_k;
  MatrixTerms terms;
  terms.form = MatrixForm::kWaves;
  terms.part_k = product.k;
  const auto take = [&](double m, double n) {
    terms.tile_m = m;
    terms.tile_n = n;
    terms.blocks = product.batch * tiles_of(product.m, m) * tiles_of(product.n, n);
    return terms.blocks >= fill * units;
  };
  const bool is_tall = product.m >= product.n;
  const double batch_side = product.batch > 1 ? number_or(core.matrix.batch_tile, side, missing) : side;
  const bool is_large = product.batch > 1 && take(is_tall ? batch_side : side, is_tall ? side : batch_side);
  const bool is_long = product.m >= number_or(rule.wide_ratio, 0.0, missing) * product.n &&
                       product.k >= number_or(rule.least_k, 0.0, missing);
  const double blocks_of_narrow = side / narrow;  // narrow blocks that replace one plain block
  if (!is_large && (!take(side, side) || (is_long && blocks_of_narrow * terms.blocks <= units))) {
    is_tall ? take(side, narrow) : take(narrow, side);
  }
  terms.waves = std::ceil(terms.blocks / units);
  const double loaded = terms.blocks / (terms.waves * units);
  terms.attained = 1 / (1 - loaded + loaded / attained);
  terms.compute = terms.waves * units * 2 * terms.tile_m * terms.tile_n * product.k / (peak * terms.attained);
  if (const double operand_rate = number_or(core.matrix.operand_bandwidth, 0.0, missing); operand_rate > 0) {
    terms.operands =
        terms.waves * units * (terms.tile_m + terms.tile_n) * product.k * operand_bytes(product) / operand_rate;
  }
  terms.starting = terms.waves * number_or(core.overhead.wave, 0.0, missing);
  if (device.hbm.bandwidth > 0) {
    terms.storing = product.batch * product.m * product.n * bits(product.out) / 8.0 / terms.waves /
                    (device.hbm.bandwidth * number_or(device.hbm.write_efficiency, device.hbm.efficiency, missing));
  }
  terms.seconds = std::max(terms.compute, terms.operands) + terms.starting + terms.storing;
  return terms;
}

// A product in equal pieces of K for all multiprocessors.
MatrixTerms streamed_terms(const MatrixWork& product, double peak, const GpuCore& core, MissingNumbers* missing) {
  MatrixTerms terms;
  terms.form = MatrixForm::kStreamed;
  terms.compute = product.flops / peak;
  terms.joining = number_or(core.overhead.split, 0.0, missing);
  terms.seconds = terms.compute + terms.joining;
  return terms;
}

MatrixWork with_k(const MatrixWork& product, double k) {
  MatrixWork other = product;
  other.flops *= k / product.k;
  other.k = k;
  return other;
}

// Products of f32. Where the libraries change from waves to equal pieces is known up to a factor of two, because the K
// of the measured products are powers of two. Between the last K measured in waves and the first in pieces, the time is
// interpolated over the logarithm of K.
MatrixTerms rounded_f32_terms(const MatrixWork& product, double peak, double fill, double attained,
                              const Device& device, const GpuCore& core, MissingNumbers* missing) {
  const auto waves = [&](const MatrixWork& work) {
    return filling_terms(work, peak, fill, attained, device, core, missing);
  };
  const double least_k = least_streamed_k(product, units_of(core), core, missing);
  if (product.k >= least_k) return streamed_terms(product, peak, core, missing);
  if (product.k <= least_k / 2) return waves(product);
  MatrixTerms terms;
  terms.form = MatrixForm::kBetween;
  terms.waves_k = least_k / 2;
  terms.waves_seconds = waves(with_k(product, terms.waves_k)).seconds;
  terms.streamed_seconds = streamed_terms(with_k(product, least_k), peak, core, missing).seconds;
  const double share = std::log2(product.k / terms.waves_k);
  terms.seconds = terms.waves_seconds * std::pow(terms.streamed_seconds / terms.waves_seconds, share);
  return terms;
}

}  // namespace

MatrixTerms gpu_tile_terms(const MatrixWork& product, const ProductPeak& peak, double attained, const Device& device,
                           const GpuCore& core, MissingNumbers* missing) {
  if (is_rounded_f32(peak.type) && product.tile_m <= 0) {
    if (const double fill = number_or(core.matrix.fill_f32, 0.0, missing); fill > 0) {
      return rounded_f32_terms(product, peak.rate, fill, attained, device, core, missing);
    }
  }
  MatrixTerms terms = wave_terms(product, peak.rate * attained, core, missing);
  terms.attained = attained;
  return terms;
}

}  // namespace hloroof::internal
