#include "lib/cost/vector_time.h"

#include <algorithm>
#include <string>

namespace hloroof::inline v0 {
namespace {

constexpr double kRegisterElements = 1024;  // 8 sublanes x 128 lanes of 32 bits

// The name under which a device file gives the cost of an operation.
std::string weight_name(const VectorWork& work) {
  if (is_integral(work.type) && (work.opcode == Opcode::kDivide || work.opcode == Opcode::kRemainder)) {
    return "integer-" + std::string(to_string(work.opcode));
  }
  return std::string(to_string(work.opcode));
}

double peak_rate(ElementType type, const VectorUnit& unit) {
  if (type == ElementType::kBf16 && unit.bf16_rate) return *unit.bf16_rate;
  if (type == ElementType::kF16 && unit.f16_rate) return *unit.f16_rate;
  if (type == ElementType::kF64 && unit.f64_rate) return *unit.f64_rate;
  // Wider than a lane: two operations where there was one.
  return bits(type) > 32 ? unit.f32_rate / 2 : unit.f32_rate;
}

double alu_rate(ElementType type, const VectorUnit& unit) {
  return peak_rate(type, unit) * unit.efficiency.value_or(1);
}

}  // namespace

double VectorTerms::seconds() const {
  return std::max(seconds_without_relayout(), register_seconds + relayout_seconds);
}

double VectorTerms::seconds_without_relayout() const {
  return std::max({operation_seconds + partial_seconds, result_seconds, register_seconds});
}

bool is_on_cross_lane_unit(const VectorWork& work, const VectorUnit& unit) {
  // Two rows of 16 bits share a sublane: to trade places they are taken apart, unless registers can be worked on
  // packed.
  const bool takes_apart =
      work.opcode == Opcode::kTranspose && bits(work.type) < 32 && !unit.native_bf16.value_or(false);
  return work.cross_lane || takes_apart;
}

VectorTerms vector_terms(const std::vector<VectorWork>& work, const Device& device) {
  const VectorUnit& unit = device.vector;
  VectorTerms terms;
  for (const VectorWork& v : work) {
    if (unit.transpose_cycles && is_on_cross_lane_unit(v, unit) && device.clock) {
      const bool is_relayout = v.opcode == Opcode::kTranspose;
      double cycles = *unit.transpose_cycles;
      if (bits(v.type) == 16) cycles = unit.packed_transpose_cycles.value_or(cycles) / 2;
      if (!is_relayout) cycles = unit.lane_reduction_cycles.value_or(cycles);
      const double registers = v.elements / kRegisterElements;
      (is_relayout ? terms.relaid_registers : terms.registers) += registers;
      (is_relayout ? terms.relayout_seconds : terms.register_seconds) +=
          registers * cycles / (*device.clock * device.cores() * unit.cross_lane_units.value_or(1));
      continue;
    }
    const OpWeight weight = unit.weight(weight_name(v));
    const double rate = alu_rate(v.type, unit);
    if (rate > 0) {
      terms.operations += v.elements * weight.vector_ops * alu_rate(ElementType::kF32, unit) / rate;
      terms.operation_seconds += v.elements * weight.vector_ops / rate;
    }
    if (unit.transcendental_rate > 0) {
      terms.results += v.elements * weight.transcendentals;
      terms.result_seconds += v.elements * weight.transcendentals / unit.transcendental_rate;
    }
  }
  return terms;
}

VectorTerms vector_terms(const Work& work, const Device& device) {
  VectorTerms terms = vector_terms(work.vector, device);
  const VectorUnit& unit = device.vector;
  if (unit.partial_update_cycles && device.clock) {
    terms.partial_registers = work.partial_tile_elements / kRegisterElements;
    terms.partial_seconds = terms.partial_registers * *unit.partial_update_cycles / (*device.clock * device.cores());
  }
  return terms;
}

}  // namespace hloroof::inline v0
