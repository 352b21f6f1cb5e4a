// Builds the time of one product as a tree of terms from MatrixTerms.
#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/op_time.h"
#include "lib/time/resource_terms.h"

namespace hloroof::internal {
namespace {

// The peak of a type, or of the type that it is converted to if the unit has no native path (MatrixUnit::rate).
Factor over_peak(MatrixType type, const DeviceFactors& device) {
  constexpr std::string_view kBf16 = "matrix.peak.bf16", kF32 = "matrix.peak.f32", kF8 = "matrix.peak.f8",
                             kS8 = "matrix.peak.s8";
  switch (type) {
    case MatrixType::kF16: return device.over({"matrix.peak.f16"});
    case MatrixType::kF32: return device.over({kF32});
    case MatrixType::kF32Highest: return device.over({"matrix.peak.f32_highest"});
    case MatrixType::kTf32: return device.over({"matrix.peak.tf32", kF32});
    case MatrixType::kF64: return device.over({"matrix.peak.f64"});
    case MatrixType::kF8: return device.over({kF8, kBf16, kF32});
    case MatrixType::kF4: return device.over({"matrix.peak.f4", kF8, kBf16, kF32});
    case MatrixType::kS8: return device.over({kS8, kBf16, kF32});
    case MatrixType::kS4: return device.over({"matrix.peak.s4", kS8, kBf16, kF32});
    case MatrixType::kBf16: break;
  }
  return device.over({kBf16, kF32});
}

// The parameters of the share of the peak that large products attain. Products that do not fill all multiprocessors
// attain a different share, which is derived from it.
Factor over_attained(double attained, MatrixType type, const DeviceFactors& device) {
  Factor own = device.over({"matrix.efficiency"});
  if (type == MatrixType::kF32 || type == MatrixType::kTf32) {
    own = device.over({"matrix.efficiency_f32", "matrix.efficiency"});
  } else if (type == MatrixType::kF8) {
    own = device.over({"matrix.efficiency_f8", "matrix.efficiency"});
  } else if (type == MatrixType::kS8) {
    own = device.over({"matrix.efficiency_s8", "matrix.efficiency"});
  }
  own.value = attained;
  return own;
}

Factor times_latch_cycles(double cycles, MatrixType type, const DeviceFactors& device) {
  constexpr std::string_view kBf16 = "matrix.latch_cycles.bf16";
  Factor factor = device.times({kBf16});
  if (type == MatrixType::kF32) factor = device.times({"matrix.latch_cycles.f32", kBf16});
  if (type == MatrixType::kF8) factor = device.times({"matrix.latch_cycles.f8", kBf16});
  if (type == MatrixType::kS8) factor = device.times({"matrix.latch_cycles.s8", kBf16});
  if (type == MatrixType::kS4) factor = device.times({"matrix.latch_cycles.s4", kBf16});
  factor.value = cycles;
  return factor;
}

struct Product {
  const MatrixWork& work;
  const MatrixTerms& terms;
  MatrixType type;
  const DeviceFactors& device;
  std::vector<Factor> rate;  // over the peak, times the passes
};

Term systolic(const Product& p) {
  const MatrixTerms& t = p.terms;
  const double dim = p.device.value("matrix.dim").value_or(0);
  const double tiles = t.k_tiles * t.n_tiles * p.work.batch;
  std::string note = absl::StrFormat("%.0f x %.0f tiles of %.0f x %.0f", t.k_tiles, t.n_tiles, dim, dim);
  if (p.work.batch > 1) note += absl::StrFormat(", %.0f times", p.work.batch);
  note += absl::StrFormat(", %.0f rows%s", t.rows, t.is_swapped ? " of the right-hand side" : "");
  Term streaming = leaf(t.operands > 0 ? "rows streamed" : "matrix product", t.compute, 2 * dim * dim * tiles * t.rows,
                        "flop", p.rate, std::move(note));
  Term loading;
  if (t.operands > 0) {
    const Factor count = p.device.over({"matrix.count"});
    const Factor clock = p.device.over({"clock"});
    const double cycles = t.operands / t.registers * count.value * clock.value / p.work.passes;
    std::vector<Factor> factors = {times_latch_cycles(cycles, p.type, p.device)};
    if (p.work.passes > 1) factors.push_back(times(p.work.passes));
    factors.push_back(count);
    factors.push_back(clock);
    loading = leaf("weights loaded", t.operands, t.registers, "register", std::move(factors));
  }
  return scaled(slowest("matrix product", {std::move(streaming), std::move(loading)}),
                over_attained(t.attained, p.type, p.device));
}

// The bytes that move through the level-2 cache in `seconds`.
Term through_cache(const char* name, double seconds, const DeviceFactors& device) {
  const Factor rate = device.over({"matrix.operand_bandwidth"});
  return leaf(name, seconds, seconds * rate.value, "B", {rate});
}

Term waves(const Product& p) {
  const MatrixTerms& t = p.terms;
  const double units = p.device.value("vector.compute_units").value_or(1);
  std::vector<Factor> rate = p.rate;
  rate.push_back(over_attained(t.attained, p.type, p.device));
  std::string note = absl::StrFormat("%.0f blocks of %.0f x %.0f", t.blocks, t.tile_m, t.tile_n);
  if (t.parts > 1) note += absl::StrFormat(", K in %.0f parts", t.parts);
  note += absl::StrFormat(": %.0f waves on %.0f multiprocessors", t.waves, units);
  Term computing = leaf(t.operands > 0 ? "multiplication" : "matrix product", t.compute,
                        t.waves * units * 2 * t.tile_m * t.tile_n * t.part_k, "flop", std::move(rate), std::move(note));
  Term operands;
  if (t.operands > 0) operands = through_cache("operands through L2", t.operands, p.device);
  Term starting = p.device.seconds("waves started", 0, "wave", {"overhead.wave"});
  if (t.starting > 0) {
    starting.seconds = t.starting;
    starting.amount = t.starting / starting.factors[0].value;
  }
  // `joining` is the fixed cost plus the time to write partial sums and read them back.
  Term split;
  Term parts;
  if (t.joining > 0) {
    split = p.device.value("overhead.split")
                ? p.device.seconds("parts joined", 1, "", {"overhead.split"})
                : p.device.seconds("parts joined", t.parts, "part", {"overhead.split_part"});
    if (t.joining > split.seconds)
      parts = through_cache("partial sums through L2", t.joining - split.seconds, p.device);
  }
  Term storing;
  if (t.storing > 0) {
    const Factor bandwidth = p.device.over({"hbm.bandwidth"});
    const Factor efficiency = p.device.over({"hbm.write_efficiency", "hbm.efficiency"});
    storing = leaf("last wave stored", t.storing, t.storing * bandwidth.value * efficiency.value, "B",
                   {bandwidth, efficiency});
  }
  return sum("matrix product", {slowest("tiles", {std::move(computing), std::move(operands)}), std::move(starting),
                                std::move(split), std::move(parts), std::move(storing)});
}

Term streamed(const Product& p) {
  Term computing = leaf("multiplication", p.terms.compute, p.work.flops, "flop", p.rate,
                        "K in equal pieces for all multiprocessors");
  return sum("matrix product", {std::move(computing), p.device.seconds("pieces joined", p.terms.joining > 0 ? 1 : 0, "",
                                                                       {"overhead.split"})});
}

Term between(const Product& p) {
  const MatrixTerms& t = p.terms;
  return leaf(
      "matrix product", t.seconds, t.seconds, "s", {},
      absl::StrFormat("between %s in waves at K = %.0f and %s in equal pieces at K = %.0f",
                      format_seconds(t.waves_seconds), t.waves_k, format_seconds(t.streamed_seconds), 2 * t.waves_k));
}

}  // namespace

Term product_terms(const MatrixWork& product, const Device& device) {
  const std::optional<ProductPeak> peak = product_peak(product, device);
  if (!peak) return {};
  const MatrixTerms terms = matrix_terms(product, device);
  const DeviceFactors factors(device);
  Product p{product, terms, peak->type, factors, {}};
  const Factor over_rate = over_peak(peak->type, factors);
  const double passes = over_rate.value / peak->rate;
  if (passes != 1) p.rate.push_back(times(passes));
  p.rate.push_back(over_rate);
  switch (terms.form) {
    case MatrixForm::kSystolic: return systolic(p);
    case MatrixForm::kWaves: return waves(p);
    case MatrixForm::kStreamed: return streamed(p);
    case MatrixForm::kBetween: return between(p);
    case MatrixForm::kPlain: break;
  }
  if (product.programs > 0 && device.gpu() != nullptr) {
    const bool is_stated = !product.is_for_threads && factors.value("program.matrix_efficiency").has_value();
    if (!is_stated) p.rate.push_back(over_attained(terms.attained, p.type, factors));
    const double busy = terms.seconds / idle_factor(product.programs, *device.gpu());
    const double unscaled = is_stated ? busy * terms.attained : busy;
    return of_programs(leaf("matrix product", unscaled, product.flops, "flop", std::move(p.rate)), product.programs,
                       is_stated ? "program.matrix_efficiency" : "", *device.gpu(), device);
  }
  p.rate.push_back(over_attained(terms.attained, p.type, factors));
  return leaf("matrix product", terms.seconds, product.flops, "flop", std::move(p.rate));
}

}  // namespace hloroof::internal
