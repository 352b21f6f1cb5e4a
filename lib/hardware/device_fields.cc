#include "lib/hardware/device_fields.h"

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

namespace hloroof::inline v0 {
namespace {

constexpr DeviceField kFields[] = {
#define HLOROOF_FIELD(member, unit, scope, need, range, meaning) \
  {#member,                                                      \
   unit,                                                         \
   FieldScope::k##scope,                                         \
   FieldNeed::k##need,                                           \
   FieldRange::k##range,                                         \
   meaning,                                                      \
   [](Device& device) -> FieldSlot { return &device.member; }},
#include "lib/hardware/device_fields.def"
};

// Counts fit a double exactly, and products of a few of them an int64_t.
constexpr double kMaxCount = 1e9;

}  // namespace

std::span<const DeviceField> device_fields() { return kFields; }

std::optional<size_t> find_field(std::string_view path) {
  for (size_t i = 0; i < std::size(kFields); ++i) {
    if (kFields[i].path == path) return i;
  }
  return std::nullopt;
}

bool needed(FieldNeed need, DeviceFamily family) {
  switch (need) {
    case FieldNeed::kAlways: return true;
    case FieldNeed::kTpu: return family == DeviceFamily::kTpu;
    case FieldNeed::kGpu: return family == DeviceFamily::kGpu;
    case FieldNeed::kMaybe: return false;
  }
  return false;
}

std::string_view describe(FieldRange range) {
  switch (range) {
    case FieldRange::kPositive: return "a number above 0";
    case FieldRange::kNonNegative: return "a number from 0";
    case FieldRange::kFraction: return "a number above 0, at most 1";
    case FieldRange::kCount: return "a whole number from 1 to 1e9";
    case FieldRange::kFlag: return "true or false";
  }
  return "?";
}

bool in_range(FieldRange range, double value) {
  if (!std::isfinite(value)) return false;
  switch (range) {
    case FieldRange::kPositive: return value > 0;
    case FieldRange::kNonNegative: return value >= 0;
    case FieldRange::kFraction: return value > 0 && value <= 1;
    case FieldRange::kCount: return value >= 1 && value <= kMaxCount && value == std::floor(value);
    case FieldRange::kFlag: return value == 0 || value == 1;
  }
  return false;
}

std::optional<double> get_field(const DeviceField& field, const Device& device) {
  // The table has one accessor, for writing; reading through it changes nothing.
  return std::visit(
      [](const auto* slot) -> std::optional<double> {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(*slot)>>) {
          return static_cast<double>(*slot);
        } else {
          if (!slot->has_value()) return std::nullopt;
          return static_cast<double>(**slot);
        }
      },
      field.slot(const_cast<Device&>(device)));
}

void set_field(const DeviceField& field, Device& device, std::optional<double> value) {
  std::visit(
      [value](auto* slot) {
        using Slot = std::remove_cvref_t<decltype(*slot)>;
        if constexpr (std::is_arithmetic_v<Slot>) {
          if (value) *slot = static_cast<Slot>(*value);
        } else if (!value) {
          slot->reset();
        } else {
          *slot = static_cast<typename Slot::value_type>(*value);
        }
      },
      field.slot(device));
}

}  // namespace hloroof::inline v0
