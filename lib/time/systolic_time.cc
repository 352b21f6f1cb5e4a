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

#include "lib/time/matrix_forms.h"

namespace hloroof::internal {
namespace {

constexpr double kLaneBits = 32;  // bits of one element of a register; narrower types are packed into it

// Cycles to load one register of weights; 0 if the load takes no extra time.
double latch_cycles(const LatchCycles& cycles, MatrixType type, MissingNumbers* missing) {
  const double plain = number_or(cycles.bf16, 0.0, missing);
  switch (type) {
    case MatrixType::kF32:
    case MatrixType::kF32Highest: return number_or(cycles.f32, plain, missing);
    case MatrixType::kF8: return number_or(cycles.f8, plain, missing);
    case MatrixType::kS8: return number_or(cycles.s8, plain, missing);
    case MatrixType::kS4: return number_or(cycles.s4, plain, missing);
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

// One arrangement of the product: the K x N operand is resident, and M rows stream past it.
MatrixTerms laid_terms(double m, double n, double k, const MatrixWork& product, const ProductPeak& peak,
                       const Device& device, const TpuCore& core, MissingNumbers* missing) {
  const double s = static_cast<double>(core.matrix.dim);
  const double sublanes = static_cast<double>(core.vector.sublanes);
  MatrixTerms terms;
  terms.form = MatrixForm::kSystolic;
  terms.rows = tiles_of(m, sublanes) * sublanes;
  terms.row_rate = peak.rate / (2 * s * s);  // over all arrays
  terms.k_tiles = tiles_of(k, s);
  terms.n_tiles = tiles_of(n, s);
  const double tiles = terms.k_tiles * terms.n_tiles * product.batch;
  terms.compute = tiles * terms.rows / terms.row_rate;
  if (const double cycles = latch_cycles(core.matrix.latch_cycles, peak.type, missing); cycles > 0) {
    const double rows = sublanes * kLaneBits / type_bits(peak.type);
    // Weights are loaded as stored or transposed, whichever takes fewer registers.
    terms.registers = product.batch * std::min(loaded_registers(k, rows, s) * terms.n_tiles,
                                               loaded_registers(n, rows, s) * terms.k_tiles);
    terms.operands =
        terms.registers * cycles * product.passes / (static_cast<double>(core.matrix.count) * *device.clock);
  }
  terms.seconds = std::max(terms.compute, terms.operands);
  return terms;
}

// The factor by which tiles of `tile` elements pad a dimension of `extent` elements; 1 for no dimension.
double tile_padding(double extent, std::int64_t tile) {
  if (extent <= 0) return 1;
  const auto size = static_cast<double>(tile);
  return std::ceil(extent / size) * size / extent;
}

}  // namespace

ProductSize padded_size(const MatrixWork& product, const TpuCore::Vector& registers) {
  const auto on_lanes = [&](double extent) { return tile_padding(extent, registers.lanes); };
  const auto on_sublanes = [&](double extent) { return tile_padding(extent, registers.sublanes); };
  ProductSize size;
  size.m = product.m * (on_lanes(product.m_on_lanes) * on_sublanes(product.m_on_sublanes));
  size.n = product.n * (on_lanes(product.n_on_lanes) * on_sublanes(product.n_on_sublanes));
  size.k = product.k * std::max(on_lanes(product.lhs_k_on_lanes), on_lanes(product.rhs_k_on_lanes));
  return size;
}

MatrixTerms systolic_terms(const MatrixWork& product, const ProductPeak& peak, const Device& device,
                           const TpuCore& core, MissingNumbers* missing) {
  const auto [m, n, k] = padded_size(product, core.vector);
  const MatrixTerms straight = laid_terms(m, n, k, product, peak, device, core, missing);
  MatrixTerms swapped = laid_terms(n, m, k, product, peak, device, core, missing);
  swapped.is_swapped = true;
  return swapped.seconds < straight.seconds ? swapped : straight;
}

}  // namespace hloroof::internal
