#include "lib/time/vector_time.h"
#include "lib/hardware/device_facts.h"
#include "lib/ir/element_type.h"
#include "lib/time/op_time.h"

#include <algorithm>
#include <string>

namespace hloroof::internal {
namespace {

// The name of an operation's cost in a device file.
std::string weight_name(const VectorWork& work) {
  if (is_integral(work.type) && (work.opcode == Opcode::kDivide || work.opcode == Opcode::kRemainder)) {
    return "integer-" + std::string(to_string(work.opcode));
  }
  if (work.opcode == Opcode::kConvert) {
    return "convert-" + std::string(to_string(work.type)) + "-" + std::string(to_string(work.to));
  }
  return std::string(to_string(work.opcode));
}

double peak_rate(ElementType type, const VectorUnit& unit, MissingNumbers* missing) {
  if (type == ElementType::kBf16) return number_or(unit.bf16_rate, unit.f32_rate, missing);
  if (type == ElementType::kF16) return number_or(unit.f16_rate, unit.f32_rate, missing);
  if (type == ElementType::kF64) return number_or(unit.f64_rate, unit.f32_rate / 2, missing);
  // A type wider than a lane takes two operations instead of one.
  return bits(type) > 32 ? unit.f32_rate / 2 : unit.f32_rate;
}

// On a TPU, the share of the ALUs that compiled operations keep busy.
double alu_share(const Device& device) { return device.tpu() != nullptr ? device.tpu()->vector.efficiency : 1; }

// Adds the time of moving elements through the cross-lane unit.
void add_cross_lane(const VectorWork& v, const Device& device, const TpuCore::Vector& unit, VectorTerms& terms) {
  const bool is_relayout = v.opcode == Opcode::kTranspose;
  double cycles = unit.transpose_cycles;
  if (bits(v.type) == 16) cycles = unit.packed_transpose_cycles / 2;
  if (!is_relayout) cycles = unit.lane_reduction_cycles;
  const double registers = v.elements / register_elements(unit);
  (is_relayout ? terms.relaid_registers : terms.registers) += registers;
  (is_relayout ? terms.relayout_seconds : terms.register_seconds) +=
      registers * cycles / (*device.clock * core_count(device) * unit.cross_lane_units);
}

}  // namespace

double VectorTerms::seconds() const {
  return std::max(seconds_without_relayout(), register_seconds + relayout_seconds);
}

double VectorTerms::seconds_without_relayout() const {
  return std::max({operation_seconds + partial_seconds, result_seconds, register_seconds});
}

bool is_on_cross_lane_unit(const VectorWork& work, const TpuCore& core) {
  // Two rows of 16 bits share a sublane. A transpose must separate them, unless the unit can work on packed registers.
  const bool takes_apart = work.opcode == Opcode::kTranspose && bits(work.type) < 32 && !core.vector.native_bf16;
  return work.cross_lane || takes_apart;
}

VectorTerms vector_terms(const std::vector<VectorWork>& work, const Device& device, MissingNumbers* missing) {
  const VectorUnit& unit = device.vector;
  const TpuCore* const tpu = device.tpu();
  VectorTerms terms;
  for (const VectorWork& v : work) {
    if (tpu != nullptr && is_on_cross_lane_unit(v, *tpu)) {
      add_cross_lane(v, device, tpu->vector, terms);
      continue;
    }
    static const OpWeight kOneOperation;
    const OpWeight* const listed = find_op_weight(unit, weight_name(v));
    const OpWeight& weight = listed != nullptr ? *listed : kOneOperation;
    const double share = alu_share(device);
    // The operations of a conversion are counted in code that fills the ALUs with them, on elements of 32 bits.
    const bool is_counted = v.opcode == Opcode::kConvert && listed != nullptr;
    const double rate = is_counted ? unit.f32_rate : peak_rate(v.type, unit, missing) * share;
    if (rate > 0) {
      terms.operations += v.elements * weight.vector_ops * (unit.f32_rate * share) / rate;
      terms.operation_seconds += v.elements * weight.vector_ops / rate;
    }
    if (unit.transcendental_rate > 0) {
      terms.results += v.elements * weight.transcendentals;
      terms.result_seconds += v.elements * weight.transcendentals / unit.transcendental_rate;
    }
  }
  return terms;
}

VectorTerms vector_terms(const Work& work, const Device& device, MissingNumbers* missing) {
  VectorTerms terms = vector_terms(work.vector, device, missing);
  if (const GpuCore* const gpu = device.gpu(); gpu != nullptr && work.programs > 0) {
    const Fact<double>& efficiency =
        work.is_for_threads ? gpu->program.thread_vector_efficiency : gpu->program.vector_efficiency;
    const double factor = idle_factor(work.programs, *gpu) / number_or(efficiency, 1.0, missing);
    terms.operation_seconds *= factor;
    terms.result_seconds *= factor;
  }
  if (const TpuCore* const tpu = device.tpu()) {
    terms.partial_registers = work.partial_tile_elements / register_elements(tpu->vector);
    terms.partial_seconds =
        terms.partial_registers * tpu->vector.partial_update_cycles / (*device.clock * core_count(device));
  }
  return terms;
}

}  // namespace hloroof::internal
