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

double alu_rate(ElementType type, const VectorUnit& unit) {
  if (type == ElementType::kBf16 && unit.bf16_rate) return *unit.bf16_rate;
  if (type == ElementType::kF16 && unit.f16_rate) return *unit.f16_rate;
  if (type == ElementType::kF64 && unit.f64_rate) return *unit.f64_rate;
  // Wider than a lane: two operations where there was one.
  return bits(type) > 32 ? unit.f32_rate / 2 : unit.f32_rate;
}

}  // namespace

double vector_seconds(const Work& work, const Device& device) {
  const VectorUnit& unit = device.vector;
  double alu = 0;
  double transcendental = 0;
  double cross_lane = 0;
  for (const VectorWork& v : work.vector) {
    if (v.cross_lane && unit.transpose_cycles && device.clock) {
      const double cycles = bits(v.type) == 16 ? unit.packed_transpose_cycles.value_or(*unit.transpose_cycles) / 2
                                               : *unit.transpose_cycles;
      cross_lane += v.elements / kRegisterElements * cycles / (*device.clock * device.cores());
      continue;
    }
    const OpWeight weight = unit.weight(weight_name(v));
    const double rate = alu_rate(v.type, unit);
    if (rate > 0) alu += v.elements * weight.vector_ops / rate;
    if (unit.transcendental_rate > 0) transcendental += v.elements * weight.transcendentals / unit.transcendental_rate;
  }
  if (unit.partial_update_cycles && device.clock) {
    alu +=
        work.partial_tile_elements / kRegisterElements * *unit.partial_update_cycles / (*device.clock * device.cores());
  }
  return std::max({alu, transcendental, cross_lane});
}

}  // namespace hloroof::inline v0
