// Computes the seconds of a product on a GPU. Thread-block tiles are distributed over the multiprocessors in waves, or
// K is split into equal pieces.
//
// Source: openxla/xla xla/service/gpu/model, 2026-08-22, for tiles and split K.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_format.h"
#include "hloroof/shape.h"
#include "lib/base/units.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/ir/element_type.h"
#include "lib/time/matrix_forms.h"

namespace hloroof::internal::inline time {
namespace {

constexpr double kPartBytes = 2 * 4;  // a partial sum is f32; it is written and read

double units_of(const GpuCore& core) { return std::max(static_cast<double>(core.vector.compute_units), 1.0); }

double tile_of(const GpuCore& core) { return static_cast<double>(core.matrix.tile); }

// The bytes of one element, averaged over the two operands.
double operand_bytes(const MatrixWork& product) { return (bits(product.lhs) + bits(product.rhs)) / 16.0; }

struct Tile {
  double m = 0;
  double n = 0;
};

// A way to cut a product into blocks.
struct Cut {
  Tile tile;
  double parts = 1;     // parts that K is cut into
  double resident = 1;  // blocks that share a multiprocessor
};

// The blocks of a product and their waves in words.
std::string blocks_text(double blocks, const Tile& tile, double parts, double waves, double units) {
  std::string text = absl::StrFormat("%.0f blocks of %.0f x %.0f", blocks, tile.m, tile.n);
  if (parts > 1) text += absl::StrFormat(", K in %.0f parts", parts);
  return text + absl::StrFormat(": %.0f waves on %.0f multiprocessors", waves, units);
}

// The longer of the multiplication and the traffic of its operands through the level-2 cache.
template <class Num>
Num tiles_seconds(const Num& computing, const Num& operands) {
  return slowest("tiles", named(value(operands) > 0 ? "multiplication" : "matrix product", computing), operands);
}

// The time of a product in waves of the blocks of `cut`. A wave takes the longer of two times: the time that the tensor
// cores need for a tile, and the time until its operands arrive, for which all blocks share the bandwidth of the
// level-2 cache. Blocks that began together end together, so that nothing overlaps the storing of their results where a
// device says how long it takes. Parts are written once and read back to be summed. A part has a least length; a
// shorter K in as many parts takes as long as if it were padded, so that a product never takes longer than one with a
// larger K.
template <class Num>
MatrixTime<Num> waves_time(const MatrixWork& product, const Cut& cut, const Num& rate, const GpuCore& core,
                           const Numbers<Num>& n) {
  const Tile& tile = cut.tile;
  const double parts = cut.parts;
  const double units = units_of(core);
  const Num operand_rate = n.known_or(core.matrix.operand_bandwidth, 0.0);
  const Num wave = n.known_or(core.overhead.wave, 0.0);
  const double part_k =
      parts > 1 ? std::max(product.k / parts, static_cast<double>(core.matrix.least_part_k)) : product.k;
  const double blocks = product.batch * tiles_of(product.m, tile.m) * tiles_of(product.n, tile.n) * parts;
  const double waves = std::ceil(blocks / units);
  const Num computing = noted(n.amount("multiplication", waves * units * 2 * tile.m * tile.n * part_k, "flop") / rate,
                              [&] { return blocks_text(blocks, tile, parts, waves, units); });
  Num operands = 0.0;
  Num sums = 0.0;
  if (value(operand_rate) > 0) {
    operands = n.amount("operands through L2", blocks * (tile.m + tile.n) * part_k * operand_bytes(product), "B") /
               operand_rate;
    if (parts > 1) {
      sums = n.amount("partial sums through L2", parts * product.batch * product.m * product.n * kPartBytes, "B") /
             operand_rate;
    }
  }
  Num joining = 0.0;
  if (parts > 1) {
    const Fact<double>& split = core.overhead.split;
    joining = split ? n.amount("parts joined", 1, "") * n.at(*split, &split)
                    : n.amount("parts joined", parts, "part") * n.known_or(core.overhead.split_part, 0.0);
  }
  const Num starting = n.amount("waves started", std::ceil(waves / cut.resident), "wave") * wave;
  Num storing = 0.0;
  if (const Num rate_of_results = n.known_or(core.matrix.result_bandwidth, 0.0); value(rate_of_results) > 0) {
    storing = n.amount("results stored", product.batch * product.m * product.n * bits(product.out) / 8.0, "B") /
              rate_of_results;
  }
  MatrixTime<Num> time;
  time.form = MatrixForm::kWaves;
  time.tile_m = tile.m;
  time.tile_n = tile.n;
  time.blocks = blocks;
  time.seconds = sum("matrix product", tiles_seconds(computing, operands), starting, sum("", sums, joining, storing));
  return time;
}

// The blocks that a library has: those with all sides from the smallest to the largest, each twice the one before, or
// else those that XLA's model of GPUs has.
absl::InlinedVector<Tile, 16> tiles_of_library(const GpuCore& core, MissingNumbers* missing) {
  const double side = tile_of(core);
  const double narrow = static_cast<double>(core.matrix.narrow_tile);
  const double largest = static_cast<double>(core.matrix.largest_tile);
  const double smallest = number_or(core.matrix.smallest_tile, 0.0, missing);
  if (!(smallest > 0 && smallest <= largest)) return {{narrow, side}, {side, narrow}, {side, side}, {largest, largest}};
  absl::InlinedVector<Tile, 16> tiles;
  for (double m = smallest; m <= largest; m *= 2) {
    for (double n = smallest; n <= largest; n *= 2) tiles.push_back({m, n});
  }
  return tiles;
}

// Cuts K into parts if that keeps more multiprocessors busy. The tile is the one that the compiler chose, or else the
// fastest of those that libraries have.
template <class Num>
MatrixTime<Num> fastest_waves_time(const MatrixWork& product, const Num& rate, const GpuCore& core,
                                   const Numbers<Num>& n) {
  const Tile given{product.tile_m, product.tile_n};
  const bool is_given = given.m > 0 && given.n > 0;
  const double side = tile_of(core);
  const absl::InlinedVector<Tile, 16> tiles =
      is_given ? absl::InlinedVector<Tile, 16>{given} : tiles_of_library(core, n.missing());
  const Numbers<double> plain(n.device(), n.missing());
  MatrixTime<double> best;
  Cut chosen;
  for (const Tile& tile : tiles) {
    for (double parts = 1; parts <= core.matrix.most_parts; parts *= 2) {
      if (parts > 1 && is_given) continue;
      // Small blocks that the compiler chose share a multiprocessor, and some start while others compute.
      const double resident = is_given ? std::max(std::floor(side * side / (tile.m * tile.n)), 1.0) : 1;
      const Cut cut{tile, parts, resident};
      const MatrixTime<double> time = waves_time(product, cut, value(rate), core, plain);
      if (best.form != MatrixForm::kPlain && !(time.seconds < best.seconds)) continue;
      best = time;
      chosen = cut;
    }
  }
  if constexpr (std::same_as<Num, double>) {
    return best;
  } else {
    return best.form == MatrixForm::kPlain ? MatrixTime<Num>() : waves_time(product, chosen, rate, core, n);
  }
}

// The K from which on the rule of StreamK applies to `product`; infinite if it never does.
double least_streamed_k(const MatrixWork& product, double units, const GpuCore& core, MissingNumbers* missing) {
  const StreamK& rule = core.matrix.stream_k;
  const auto number = [missing](const Fact<double>& fact) { return number_or(fact, 0.0, missing); };
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
template <class Num>
MatrixTime<Num> filling_time(const MatrixWork& product, const Num& peak, double fill, const Num& attained,
                             const GpuCore& core, const Numbers<Num>& n) {
  const double units = units_of(core);
  const double side = tile_of(core);
  const double narrow = static_cast<double>(core.matrix.narrow_tile);
  const StreamK& rule = core.matrix.stream_k;
  Tile tile;
  double blocks = 0;
  const auto take = [&](double tile_m, double tile_n) {
    tile = {tile_m, tile_n};
    blocks = product.batch * tiles_of(product.m, tile_m) * tiles_of(product.n, tile_n);
    return blocks >= fill * units;
  };
  const bool is_tall = product.m >= product.n;
  const double batch_side = product.batch > 1 ? number_or(core.matrix.batch_tile, side, n.missing()) : side;
  const bool is_large = product.batch > 1 && take(is_tall ? batch_side : side, is_tall ? side : batch_side);
  const bool is_long = product.m >= number_or(rule.wide_ratio, 0.0, n.missing()) * product.n &&
                       product.k >= number_or(rule.least_k, 0.0, n.missing());
  const double blocks_of_narrow = side / narrow;  // narrow blocks that replace one plain block
  if (!is_large && (!take(side, side) || (is_long && blocks_of_narrow * blocks <= units))) {
    is_tall ? take(side, narrow) : take(narrow, side);
  }
  const double waves = std::ceil(blocks / units);
  const double loaded = blocks / (waves * units);
  MatrixTime<Num> time;
  time.form = MatrixForm::kWaves;
  time.tile_m = tile.m;
  time.tile_n = tile.n;
  time.blocks = blocks;
  time.attained =
      n.computed(1 / (1 - loaded + loaded / value(attained)), "1", attained, n.at(core.vector.compute_units));
  const Num computing = noted(
      n.amount("multiplication", waves * units * 2 * tile.m * tile.n * product.k, "flop") / (peak * time.attained),
      [&] { return blocks_text(blocks, tile, 1, waves, units); });
  Num operands = 0.0;
  if (const Num operand_rate = n.known_or(core.matrix.operand_bandwidth, 0.0); value(operand_rate) > 0) {
    operands =
        n.amount("operands through L2", waves * units * (tile.m + tile.n) * product.k * operand_bytes(product), "B") /
        operand_rate;
  }
  const Num starting = n.amount("waves started", waves, "wave") * n.known_or(core.overhead.wave, 0.0);
  Num storing = 0.0;
  if (const Hbm& hbm = n.device().hbm; hbm.bandwidth > 0) {
    storing =
        n.amount("last wave stored", product.batch * product.m * product.n * bits(product.out) / 8.0 / waves, "B") /
        (n.at(hbm.bandwidth) * n.known_or(hbm.write_efficiency, n.at(hbm.efficiency)));
  }
  time.seconds = sum("matrix product", tiles_seconds(computing, operands), starting, storing);
  return time;
}

// A product in equal pieces of K for all multiprocessors.
template <class Num>
MatrixTime<Num> streamed_time(const MatrixWork& product, const Num& peak, const GpuCore& core, const Numbers<Num>& n) {
  MatrixTime<Num> time;
  time.form = MatrixForm::kStreamed;
  time.seconds = sum("matrix product",
                     noted(n.amount("multiplication", product.flops, "flop") / peak,
                           [] { return std::string("K in equal pieces for all multiprocessors"); }),
                     n.amount("pieces joined", 1, "") * n.known_or(core.overhead.split, 0.0));
  return time;
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
template <class Num>
MatrixTime<Num> rounded_f32_time(const MatrixWork& product, const Num& peak, double fill, const Num& attained,
                                 const GpuCore& core, const Numbers<Num>& n) {
  const auto waves = [&](const MatrixWork& work) { return filling_time(work, peak, fill, attained, core, n); };
  const double least_k = least_streamed_k(product, units_of(core), core, n.missing());
  if (product.k >= least_k) return streamed_time(product, peak, core, n);
  if (product.k <= least_k / 2) return waves(product);
  const double waves_k = least_k / 2;
  const Num in_waves = waves(with_k(product, waves_k)).seconds;
  const Num streamed = streamed_time(with_k(product, least_k), peak, core, n).seconds;
  const double share = std::log2(product.k / waves_k);
  MatrixTime<Num> time;
  time.form = MatrixForm::kBetween;
  const Num factor = n.computed(std::pow(value(streamed) / value(in_waves), share), "1", in_waves, streamed);
  time.seconds = noted(again("matrix product", in_waves) * factor, [&] {
    return absl::StrFormat("between %s in waves at K = %.0f and %s in equal pieces at K = %.0f",
                           format_seconds(value(in_waves)), waves_k, format_seconds(value(streamed)), least_k);
  });
  return time;
}

}  // namespace

template <class Num>
MatrixTime<Num> gpu_tile_time(const MatrixWork& product, const ProductPeak<Num>& peak, const Num& attained,
                              const GpuCore& core, const Numbers<Num>& n) {
  if (is_rounded_f32(peak.type) && product.tile_m <= 0) {
    if (const double fill = number_or(core.matrix.fill_f32, 0.0, n.missing()); fill > 0) {
      return rounded_f32_time(product, peak.rate, fill, attained, core, n);
    }
  }
  MatrixTime<Num> time = fastest_waves_time(product, peak.rate * attained, core, n);
  time.attained = attained;
  return time;
}
template MatrixTime<double> gpu_tile_time(const MatrixWork&, const ProductPeak<double>&, const double&, const GpuCore&,
                                          const Numbers<double>&);
template MatrixTime<Traced> gpu_tile_time(const MatrixWork&, const ProductPeak<Traced>&, const Traced&, const GpuCore&,
                                          const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
