// Computes the seconds of a product on a TPU's weight-stationary systolic arrays.
//
// An array of S x S weights takes in left-hand rows of S values. K and N are cut into tiles of S, and M into registers
// of 8 rows. Loading (latching) the weights of a tile overlaps the streaming of the previous tile. If a tile has few
// rows, the array waits for weights.
//
// Source: xla/benchmarks/core/platform_info.py for the cadences.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "lib/kernel/common/isa.h"
#include "lib/time/matrix_forms.h"

namespace hloroof::internal::inline time {
namespace {

// Cycles to load one register of weights; 0 if the load takes no extra time.
template <class Num>
Num latch_cycles(const LatchCycles& cycles, MatrixType type, const Numbers<Num>& n) {
  Num plain = n.known_or(cycles.bf16, 0.0);
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest: return n.known_or(cycles.f32, plain);
    case MatrixType::kF8: return n.known_or(cycles.f8, plain);
    case MatrixType::kS8: return n.known_or(cycles.s8, plain);
    case MatrixType::kS4: return n.known_or(cycles.s4, plain);
    default: return plain;
  }
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

// The number of registers of `rows` rows that hold `extent` rows of weights, in tiles of `tile` rows. A partial tile
// loads only the registers that it fills.
double loaded_registers(double extent, double rows, double tile) {
  const double full = std::floor(extent / tile);
  return full * tiles_of(tile, rows) + (extent > full * tile ? tiles_of(extent - full * tile, rows) : 0);
}

// The tiles and rows of an arrangement in words.
std::string arrangement(double k_tiles, double n_tiles, double side, double times, double rows, bool is_swapped) {
  // Half a tile of K is possible (laid_time).
  const int digits = k_tiles == std::floor(k_tiles) ? 0 : 1;
  std::string text = absl::StrFormat("%.*f x %.0f tiles of %.0f x %.0f", digits, k_tiles, n_tiles, side, side);
  if (times > 1) text += absl::StrFormat(", %.0f times", times);
  return text + absl::StrFormat(", %.0f rows%s", rows, is_swapped ? " of the right-hand side" : "");
}

// One arrangement of the product: the K x N operand is resident, and M rows stream past it.
template <class Num>
MatrixTime<Num> laid_time(double m, double n, double k, const MatrixWork& product, bool is_swapped,
                          const ProductPeak<Num>& peak, const TpuCore& core, const Numbers<Num>& numbers) {
  const double s = static_cast<double>(core.matrix.dim);
  const double sublanes = static_cast<double>(core.vector.sublanes);
  MatrixTime<Num> time;
  time.form = MatrixForm::kSystolic;
  time.is_swapped = is_swapped;
  const double rows = tiles_of(m, sublanes) * sublanes;
  // If the filters fill half of the columns of an array at most, its two halves take different parts of a window.
  const double part = product.sliding.taps > 0 && 2 * n <= s ? s / 2 : s;
  const double k_tiles = tiles_of(k, part) * part / s;
  const double n_tiles = tiles_of(n, s);
  const Num cycles = latch_cycles(core.matrix.latch_cycles, peak.type, numbers);
  const bool loads = value(cycles) > 0;
  const Num streaming = numbers.amount(loads ? "rows streamed" : "matrix product",
                                       2 * s * s * (k_tiles * n_tiles * product.batch * rows), "flop") /
                        peak.rate;
  Num loading = 0.0;
  if (loads) {
    const double register_rows = sublanes * kLaneBits / type_bits(peak.type);
    // Weights are loaded as stored or transposed, whichever takes fewer registers.
    time.registers = product.batch * std::min(loaded_registers(k, register_rows, s) * n_tiles,
                                              loaded_registers(n, register_rows, s) * k_tiles);
    loading = numbers.amount("weights loaded", time.registers, "register") * cycles *
              static_cast<double>(product.passes) / (numbers.at(core.matrix.count) * numbers.clock());
  }
  time.compute = value(streaming);
  time.operands = value(loading);
  time.seconds = slowest(
      "matrix product",
      noted(streaming, [&] { return arrangement(k_tiles, n_tiles, s, product.batch, rows, is_swapped); }), loading);
  return time;
}

// The factor by which tiles of `tile` elements pad a dimension of `extent` elements; 1 for no dimension.
double tile_padding(double extent, std::int64_t tile) {
  if (extent <= 0) return 1;
  const auto size = static_cast<double>(tile);
  return std::ceil(extent / size) * size / extent;
}

// The registers that hold what a sliding window covers for a row of the result, by their lanes. If the features of a
// position leave a part of a register, several positions are put beside each other there, each at a multiple of a power
// of two or of 32 lanes. Positions stay apart if the filters are taken one by one, and are joined without padding if
// the features were on sublanes before. Source: the final code of libtpu 0.0.52 for 60 convolutions on v5e and v6e.
double registers_of_patch(const SlidingWindow& sliding, double lanes) {
  constexpr double kGranule = 32;
  const double features = std::max(sliding.features, 1.0);
  if (sliding.batch_on_lanes > 0) return tiles_of(sliding.taps * features, lanes);
  if (sliding.apart) return sliding.taps * tiles_of(features, lanes);
  const double whole = std::floor(features / lanes);
  const double rest = features - whole * lanes;
  if (rest == 0) return sliding.taps * whole;
  const double width = rest > kGranule ? tiles_of(rest, kGranule) * kGranule : std::exp2(std::ceil(std::log2(rest)));
  return sliding.taps * whole + tiles_of(sliding.taps * width, lanes);
}

}  // namespace

ProductSize padded_size(const MatrixWork& product, const TpuCore::Vector& registers) {
  const auto on_lanes = [&](double extent) { return tile_padding(extent, registers.lanes); };
  const auto on_sublanes = [&](double extent) { return tile_padding(extent, registers.sublanes); };
  ProductSize size;
  size.m = product.m * (on_lanes(product.m_on_lanes) * on_sublanes(product.m_on_sublanes));
  size.n = product.n * (on_lanes(product.n_on_lanes) * on_sublanes(product.n_on_sublanes));
  size.k = product.k * std::max(on_lanes(product.lhs_k_on_lanes), on_lanes(product.rhs_k_on_lanes));
  const SlidingWindow& sliding = product.sliding;
  if (sliding.taps > 0) {
    const auto lanes = static_cast<double>(registers.lanes);
    if (sliding.patch_is_resident) {
      size.m = product.m * on_lanes(sliding.batch_on_lanes);
      size.k = sliding.taps * sliding.features;
    } else {
      size.k = registers_of_patch(sliding, lanes) * lanes;
    }
  }
  return size;
}

template <class Num>
MatrixTime<Num> systolic_time(const MatrixWork& product, const ProductPeak<Num>& peak, const TpuCore& core,
                              const Numbers<Num>& numbers) {
  const auto [m, n, k] = padded_size(product, core.vector);
  MatrixTime<Num> straight = laid_time(m, n, k, product, false, peak, core, numbers);
  MatrixTime<Num> swapped = laid_time(n, m, k, product, true, peak, core, numbers);
  if (product.sliding.taps > 0) return product.sliding.patch_is_resident ? swapped : straight;
  return value(swapped.seconds) < value(straight.seconds) ? swapped : straight;
}
template MatrixTime<double> systolic_time(const MatrixWork&, const ProductPeak<double>&, const TpuCore&,
                                          const Numbers<double>&);
template MatrixTime<Traced> systolic_time(const MatrixWork&, const ProductPeak<Traced>&, const TpuCore&,
                                          const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
