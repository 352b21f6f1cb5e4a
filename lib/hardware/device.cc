// The functions of the plain structs in device.h.
#include "hloroof/device.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "lib/hardware/names.h"

namespace hloroof::inline v0 {

std::optional<double> MatrixUnit::rate(MatrixType type) const {
  switch (type) {
    case MatrixType::kF16:
      return peak.f16;
    case MatrixType::kF32:
      return peak.f32;
    case MatrixType::kF32Highest:
      return peak.f32_highest;
    case MatrixType::kTf32:
      return peak.tf32.value_or(peak.f32);
    case MatrixType::kBf16:
      return peak.bf16.value_or(peak.f32);
    case MatrixType::kF64:
      return peak.f64;
    case MatrixType::kF8:
      return peak.f8.value_or(peak.bf16.value_or(peak.f32));
    case MatrixType::kF4:
      return peak.f4 ? peak.f4 : rate(MatrixType::kF8);
    case MatrixType::kS8:
      return peak.s8.value_or(peak.bf16.value_or(peak.f32));
    case MatrixType::kS4:
      return peak.s4 ? peak.s4 : rate(MatrixType::kS8);
  }
  return std::nullopt;
}

OpWeight VectorUnit::weight(std::string_view op) const {
  const auto at = std::lower_bound(weights.begin(), weights.end(), op,
                                   [](const OpWeight& weight, std::string_view name) { return weight.op < name; });
  if (at != weights.end() && at->op == op) return *at;
  OpWeight one;
  one.op = op;
  return one;
}

int64_t Topology::chips_per_slice() const { return box_size(shape).value_or(std::numeric_limits<int64_t>::max()); }

int64_t Topology::devices_per_slice() const {
  int64_t count = 0;
  const bool overflow = __builtin_mul_overflow(chips_per_slice(), devices_per_chip, &count);
  return overflow ? std::numeric_limits<int64_t>::max() : count;
}

int64_t Topology::device_count() const {
  int64_t count = 0;
  const bool overflow = __builtin_mul_overflow(devices_per_slice(), slices, &count);
  return overflow ? std::numeric_limits<int64_t>::max() : count;
}

std::string Topology::to_string() const {
  std::string text = print_box(shape);
  if (slices != 1) text += "*" + std::to_string(slices);
  return text;
}

}  // namespace hloroof::inline v0
