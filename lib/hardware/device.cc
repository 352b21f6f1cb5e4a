// Implements the member functions of the plain structs in device.h.

#include "hloroof/device.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "lib/hardware/device_facts.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/hardware/names.h"

namespace hloroof::internal::inline hardware {

MatrixRate matrix_rate(const MatrixPeak& peak, MatrixType type) {
  MatrixRate result;
  // A type without a path of its own is converted to another, until one has a rate.
  while (true) {
    const Fact<double>* own = nullptr;
    MatrixType converted = MatrixType::kF32;
    switch (type) {
      case MatrixType::kF16:
        result.rate = peak.f16;
        result.slot = &peak.f16;
        return result;
      case MatrixType::kF32:
        result.rate = peak.f32;
        result.slot = &peak.f32;
        return result;
      case MatrixType::kF64:
        result.rate = to_optional(peak.f64);
        result.slot = &peak.f64;
        if (!result.rate) result.unknown = &peak.f64;  // the rate of an emulation is unknown
        return result;
      case MatrixType::kF32Highest: own = &peak.f32_highest; break;
      case MatrixType::kTf32: own = &peak.tf32; break;
      case MatrixType::kBf16: own = &peak.bf16; break;
      case MatrixType::kF8:
        own = &peak.f8;
        converted = MatrixType::kBf16;
        break;
      case MatrixType::kF4:
        own = &peak.f4;
        converted = MatrixType::kF8;
        break;
      case MatrixType::kS8:
        own = &peak.s8;
        converted = MatrixType::kBf16;
        break;
      case MatrixType::kS4:
        own = &peak.s4;
        converted = MatrixType::kS8;
        break;
    }
    if (own == nullptr) return result;
    if (own->has_value()) {
      result.rate = **own;
      result.slot = own;
      return result;
    }
    if (is_unknown(*own) && result.unknown == nullptr) result.unknown = own;
    type = converted;
  }
}

const OpWeight* find_op_weight(const VectorUnit& unit, std::string_view op) {
  const auto at = std::lower_bound(unit.weights.begin(), unit.weights.end(), op,
                                   [](const OpWeight& weight, std::string_view name) { return weight.op < name; });
  return at != unit.weights.end() && at->op == op ? &*at : nullptr;
}

OpWeight op_weight(const VectorUnit& unit, std::string_view op) {
  if (const OpWeight* weight = find_op_weight(unit, op)) return *weight;
  OpWeight one;
  one.op = op;
  return one;
}

std::int64_t chips_per_slice(const Topology& topology) {
  return box_size(topology.shape).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace hloroof::internal::inline hardware

namespace hloroof::inline v0 {
using namespace internal;

DeviceFamily Device::family() const {
  if (tpu() != nullptr) return DeviceFamily::kTpu;
  if (gpu() != nullptr) return DeviceFamily::kGpu;
  return std::holds_alternative<CpuCore>(core) ? DeviceFamily::kCpu : DeviceFamily::kOther;
}

int64_t Topology::device_count() const {
  int64_t count = 0;
  const bool overflow = __builtin_mul_overflow(chips_per_slice(*this), devices_per_chip, &count) ||
                        __builtin_mul_overflow(count, slices, &count);
  return overflow ? std::numeric_limits<int64_t>::max() : count;
}

std::string Topology::to_string() const {
  std::string text = print_box(shape);
  if (twisted) text += kTwistedSuffix;
  if (slices != 1) text += "*" + std::to_string(slices);
  return text;
}

}  // namespace hloroof::inline v0
