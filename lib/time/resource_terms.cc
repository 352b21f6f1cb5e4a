#include "lib/time/resource_terms.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/ir/element_type.h"
#include "lib/time/op_time.h"
#include "lib/time/vector_time.h"

namespace hloroof::internal {
namespace {

constexpr std::size_t kMostKinds = 4;  // of vector work, named in a note

// The parameter that holds the rate of a type.
enum class RateOf { kF32, kBf16, kF16, kF64, kWide, kCount };

RateOf rate_of(ElementType type, const DeviceFactors& device) {
  if (type == ElementType::kBf16 && device.value("vector.bf16_rate")) return RateOf::kBf16;
  if (type == ElementType::kF16 && device.value("vector.f16_rate")) return RateOf::kF16;
  if (type == ElementType::kF64 && device.value("vector.f64_rate")) return RateOf::kF64;
  return bits(type) > 32 ? RateOf::kWide : RateOf::kF32;
}

Factor over_rate(RateOf rate, const DeviceFactors& device) {
  switch (rate) {
    case RateOf::kBf16: return device.over({"vector.bf16_rate"});
    case RateOf::kF16: return device.over({"vector.f16_rate"});
    case RateOf::kF64: return device.over({"vector.f64_rate"});
    default: return device.over({"vector.f32_rate"});
  }
}

const char* operations_name(RateOf rate) {
  switch (rate) {
    case RateOf::kBf16: return "vector operations, bf16";
    case RateOf::kF16: return "vector operations, f16";
    case RateOf::kF64: return "vector operations, f64";
    case RateOf::kWide: return "vector operations, 64-bit";
    default: return "vector operations";
  }
}

// The unit that does vector work. Layout changes also run on the cross-lane unit.
enum class DoneBy { kAlus, kCrossLaneUnit, kRelayout };

DoneBy done_by(const VectorWork& v, const Device& device) {
  if (device.tpu() == nullptr || !is_on_cross_lane_unit(v, *device.tpu())) return DoneBy::kAlus;
  return v.opcode == Opcode::kTranspose ? DoneBy::kRelayout : DoneBy::kCrossLaneUnit;
}

// Formats the kinds of work: "557,056 convert, 327,680 multiply, ..."
std::string kinds(const std::vector<VectorWork>& work) {
  std::string text;
  for (std::size_t i = 0; i < work.size() && i <= kMostKinds; ++i) {
    if (i > 0) text += ", ";
    if (i == kMostKinds) return text + "...";
    text += format_count(work[i].elements) + " " + std::string(to_string(work[i].opcode));
  }
  return text;
}

template <typename Chosen>
std::vector<VectorWork> chosen(const std::vector<VectorWork>& work, Chosen is_chosen) {
  std::vector<VectorWork> result;
  std::copy_if(work.begin(), work.end(), std::back_inserter(result), is_chosen);
  return result;
}

Term alu_terms(RateOf rate, const std::vector<VectorWork>& work, const Device& device, const DeviceFactors& factors) {
  const VectorTerms t = vector_terms(work, device);
  if (t.operation_seconds <= 0) return {};
  // A 64-bit operation takes two 32-bit operations.
  std::vector<Factor> by;
  if (rate == RateOf::kWide) by.push_back(times(2));
  by.push_back(over_rate(rate, factors));
  if (factors.value("vector.efficiency")) by.push_back(factors.over({"vector.efficiency"}));
  Term term = leaf(operations_name(rate), t.operation_seconds, 1, "op", std::move(by), kinds(work));
  term.amount = t.operation_seconds / term.scale();
  return term;
}

Term lane_terms(const char* name, double registers, double seconds, const std::vector<VectorWork>& work,
                bool is_relayout, const DeviceFactors& factors) {
  if (seconds <= 0) return {};
  const Factor clock = factors.over({"clock"});
  const Factor units = factors.over({"vector.cross_lane_units"});
  const double cores = factors.cores();
  // Registers of several types may take different numbers of cycles. This is their mean.
  const double cycles = seconds / registers * clock.value * cores * units.value;
  std::vector<Factor> by = {
      is_relayout
          ? factors.derived(cycles, "cycle", false, {"vector.packed_transpose_cycles", "vector.transpose_cycles"})
          : factors.derived(cycles, "cycle", false, {"vector.lane_reduction_cycles", "vector.transpose_cycles"}),
      clock};
  by.push_back(factors.over_cores());
  by.push_back(units);
  return leaf(name, seconds, registers, "register", std::move(by), kinds(work));
}

// On a device that is not a TPU, all memory except host memory is main memory.
double in_main_memory(const MemoryBytes& bytes, const Device& device) {
  return bytes.hbm + (device.tpu() != nullptr ? 0 : bytes.vmem);
}

}  // namespace

Term of_programs(Term term, double programs, std::string_view efficiency, const GpuCore& core, const Device& device) {
  const DeviceFactors factors(device);
  if (!efficiency.empty() && factors.value(efficiency)) term = scaled(std::move(term), factors.over({efficiency}));
  const double idle = idle_factor(programs, core);
  if (idle == 1) return term;
  return scaled(std::move(term), factors.derived(idle, "1", false, {"vector.compute_units"}));
}

VectorTermTrees vector_term_trees(const std::vector<VectorWork>& work, const Device& device) {
  const DeviceFactors factors(device);
  const VectorTerms t = vector_terms(work, device);
  const auto on = [&](DoneBy by) {
    return chosen(work, [&](const VectorWork& v) { return done_by(v, device) == by; });
  };
  const std::vector<VectorWork> on_alus = on(DoneBy::kAlus);
  std::vector<Term> alus;
  for (int r = 0; r < static_cast<int>(RateOf::kCount); ++r) {
    const auto rate = static_cast<RateOf>(r);
    const auto same = chosen(on_alus, [&](const VectorWork& v) { return rate_of(v.type, factors) == rate; });
    if (!same.empty()) alus.push_back(alu_terms(rate, same, device, factors));
  }
  VectorTermTrees trees;
  trees.alus = sum("vector ALUs", std::move(alus));
  if (t.result_seconds > 0) {
    trees.transcendental = leaf("transcendental results", t.result_seconds, t.results, "op",
                                {factors.over({"vector.transcendental_rate"})});
  }
  trees.cross_lane =
      lane_terms("across lanes", t.registers, t.register_seconds, on(DoneBy::kCrossLaneUnit), false, factors);
  trees.relayout = lane_terms("layout changed across lanes", t.relaid_registers, t.relayout_seconds,
                              on(DoneBy::kRelayout), true, factors);
  return trees;
}

VectorTermTrees vector_term_trees(const Work& work, const Device& device) {
  VectorTermTrees trees = vector_term_trees(work.vector, device);
  if (const GpuCore* const gpu = device.gpu(); gpu != nullptr && work.programs > 0) {
    const std::string_view efficiency =
        work.is_for_threads ? "program.thread_vector_efficiency" : "program.vector_efficiency";
    for (Term* term : {&trees.alus, &trees.transcendental}) {
      if (term->seconds > 0) *term = of_programs(std::move(*term), work.programs, efficiency, *gpu, device);
    }
  }
  const VectorTerms t = vector_terms(work, device);
  if (t.partial_seconds <= 0) return trees;
  const DeviceFactors factors(device);
  const Factor cycles = factors.times({"vector.partial_update_cycles"});
  const Factor clock = factors.over({"clock"});
  std::vector<Factor> by = {cycles, clock};
  by.push_back(factors.over_cores());
  trees.alus = sum("vector ALUs", {std::move(trees.alus), leaf("registers updated in part", t.partial_seconds,
                                                               t.partial_registers, "register", std::move(by))});
  return trees;
}

Term accumulation_terms(const Work& work, const Device& device) {
  const double seconds = work.product_steps > 1 ? accumulation_seconds(work, device) : 0;
  if (seconds <= 0) return {};
  const Factor rate = DeviceFactors(device).over({"vector.f32_rate"});
  return leaf("sums of windows added", seconds, seconds * rate.value, "op", {rate},
              absl::StrFormat("%.0f windows along what is contracted", work.product_steps));
}

Term hbm_terms_tree(const Work& work, const Device& device) {
  const HbmTerms t = hbm_terms(work, device);
  const DeviceFactors factors(device);
  const Factor bandwidth = factors.over({"hbm.bandwidth"});
  const double read = in_main_memory(work.read, device);
  const double written = in_main_memory(work.written, device);
  Term reading;
  Term writing;
  Term turning;
  if (t.reading > 0) {
    reading =
        leaf("HBM reads", t.reading, read, "B", {bandwidth, factors.over({"hbm.read_efficiency", "hbm.efficiency"})});
  }
  if (t.writing > 0) {
    writing = leaf("HBM writes", t.writing, written, "B",
                   {bandwidth, factors.over({"hbm.write_efficiency", "hbm.efficiency"})});
  }
  if (t.turning > 0) {
    const double bytes = std::min(read, written);
    turning = leaf("HBM turns between them", t.turning, bytes, "B",
                   {factors.derived(t.turning * bandwidth.value / bytes, "1", false,
                                    {"hbm.efficiency", "hbm.read_efficiency", "hbm.write_efficiency"}),
                    bandwidth});
  }
  return sum("HBM", {std::move(reading), std::move(writing), std::move(turning)});
}

Term vmem_terms(const Work& work, const Device& device) {
  const DeviceFactors factors(device);
  if (const GpuCore* const gpu = device.gpu(); gpu != nullptr && work.tile_bytes > 0) {
    const Factor rate = work.is_for_threads ? factors.over({"on_chip.l2_bandwidth"})
                                            : factors.over({"program.tile_bandwidth", "on_chip.l2_bandwidth"});
    return of_programs(leaf("tiles through L2", work.tile_bytes / rate.value, work.tile_bytes, "B", {rate}),
                       work.programs, "", *gpu, device);
  }
  if (device.tpu() == nullptr) return {};
  // If the device has CMEM, arrays are placed in it (FastMemory).
  const bool is_cmem = factors.value("on_chip.cmem_read_bandwidth").has_value();
  const auto stream = [&](const char* name, double bytes, std::string_view path) {
    if (bytes <= 0 || !factors.value(path)) return Term();
    const Factor rate = factors.over({path});
    return leaf(name, bytes / rate.value, bytes, "B", {rate});
  };
  return slowest(is_cmem ? "CMEM" : "VMEM",
                 {stream(is_cmem ? "CMEM reads" : "VMEM loads", work.read.vmem,
                         is_cmem ? "on_chip.cmem_read_bandwidth" : "on_chip.vmem_read_bandwidth"),
                  stream(is_cmem ? "CMEM writes" : "VMEM stores", work.written.vmem,
                         is_cmem ? "on_chip.cmem_write_bandwidth" : "on_chip.vmem_write_bandwidth")});
}

Term host_terms(const Work& work, const Device& device) {
  const double bytes = std::max(work.read.host, work.written.host);
  const Factor rate = DeviceFactors(device).over({"host.bandwidth"});
  if (bytes <= 0 || rate.parameters.empty()) return {};
  return leaf("host memory", bytes / rate.value, bytes, "B", {rate});
}

}  // namespace hloroof::internal
