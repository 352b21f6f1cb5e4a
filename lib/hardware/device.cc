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
  const double bf16 = peak.bf16.value_or(peak.f32);
  const double f8 = peak.f8.value_or(bf16);
  const double s8 = peak.s8.value_or(bf16);
  switch (type) {
    case MatrixType::kF16: return peak.f16;
    case MatrixType::kF32: return peak.f32;
    case MatrixType::kF32Highest: return peak.f32_highest;
    case MatrixType::kTf32: return peak.tf32.value_or(peak.f32);
    case MatrixType::kBf16: return bf16;
    case MatrixType::kF64: return peak.f64;
    case MatrixType::kF8: return f8;
    case MatrixType::kF4: return peak.f4.value_or(f8);
    case MatrixType::kS8: return s8;
    case MatrixType::kS4: return peak.s4.value_or(s8);
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
  if (twisted) text += kTwistedSuffix;
  if (slices != 1) text += "*" + std::to_string(slices);
  return text;
}

}  // namespace hloroof::inline v0
