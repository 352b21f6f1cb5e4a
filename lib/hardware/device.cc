// Implements the member functions of the plain structs in device.h.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "hloroof/device.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/hardware/names.h"

namespace hloroof::internal {

MatrixRate matrix_rate(const MatrixPeak& peak, MatrixType type) {
  MatrixRate result;
  // Returns the native rate of a type, otherwise the rate of the type it is converted to.
  const auto own_or = [&](const Fact<double>& own, MatrixType converted) {
    if (own.has_value()) {
      result.rate = *own;
      return result;
    }
    MatrixRate other = matrix_rate(peak, converted);
    if (own.is_unknown()) other.unknown = &own;
    return other;
  };
  switch (type) {
    case MatrixType::kF16: result.rate = peak.f16; return result;
    case MatrixType::kF32: result.rate = peak.f32; return result;
    case MatrixType::kF32Highest: return own_or(peak.f32_highest, MatrixType::kF32);
    case MatrixType::kTf32: return own_or(peak.tf32, MatrixType::kF32);
    case MatrixType::kBf16: return own_or(peak.bf16, MatrixType::kF32);
    case MatrixType::kF64:
      result.rate = peak.f64.optional();
      if (!result.rate) result.unknown = &peak.f64;  // the rate of an emulation is unknown
      return result;
    case MatrixType::kF8: return own_or(peak.f8, MatrixType::kBf16);
    case MatrixType::kF4: return own_or(peak.f4, MatrixType::kF8);
    case MatrixType::kS8: return own_or(peak.s8, MatrixType::kBf16);
    case MatrixType::kS4: return own_or(peak.s4, MatrixType::kS8);
  }
  return result;
}

}  // namespace hloroof::internal

namespace hloroof::inline v0 {
using namespace internal;

std::optional<double> MatrixUnit::rate(MatrixType type) const { return matrix_rate(peak, type).rate; }

DeviceFamily Device::family() const {
  if (tpu() != nullptr) return DeviceFamily::kTpu;
  return gpu() != nullptr ? DeviceFamily::kGpu : DeviceFamily::kOther;
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
