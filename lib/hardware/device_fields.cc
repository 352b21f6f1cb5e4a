#include "lib/hardware/device_fields.h"

#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

namespace hloroof::internal::inline hardware {
namespace {

#define HLOROOF_ROW(member, unit, scope, use, need, range, meaning) \
#member, unit, FieldScope::k##scope, FieldUse::k##use, FieldNeed::k##need, FieldRange::k##range, meaning
#define HLOROOF_CORE_SLOT(Core, member)                              \
  [](Device& device) -> FieldSlot {                                  \
    Core* const core = std::get_if<Core>(&device.core);              \
    return core == nullptr ? FieldSlot() : FieldSlot(&core->member); \
  }

constexpr DeviceField kFields[] = {
#define HLOROOF_FIELD(member, ...) \
  {HLOROOF_ROW(member, __VA_ARGS__), [](Device& device) -> FieldSlot { return &device.member; }},
#define HLOROOF_TPU_FIELD(member, ...) {HLOROOF_ROW(member, __VA_ARGS__), HLOROOF_CORE_SLOT(TpuCore, member)},
#define HLOROOF_GPU_FIELD(member, ...) {HLOROOF_ROW(member, __VA_ARGS__), HLOROOF_CORE_SLOT(GpuCore, member)},
#include "lib/hardware/device_fields.def"
};

#undef HLOROOF_ROW
#undef HLOROOF_CORE_SLOT

// The limit of a count: a double represents it exactly, and the product of a few counts fits an int64_t.
constexpr double kMaxCount = 1e9;

}  // namespace

std::span<const DeviceField> device_fields() { return kFields; }

std::optional<size_t> find_field(std::string_view path) {
  for (size_t i = 0; i < std::size(kFields); ++i) {
    if (kFields[i].path == path) return i;
  }
  return std::nullopt;
}

std::variant<OtherCore, CpuCore, TpuCore, GpuCore> empty_core(DeviceFamily family) {
  switch (family) {
    case DeviceFamily::kTpu: return TpuCore();
    case DeviceFamily::kGpu: return GpuCore();
    case DeviceFamily::kCpu: return CpuCore();
    case DeviceFamily::kOther: break;
  }
  return OtherCore();
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

bool exists(const DeviceField& field, DeviceFamily family) {
  // Probe an empty device of the family: its core lacks the members of other cores.
  Device device;
  device.core = empty_core(family);
  if (std::holds_alternative<std::monostate>(field.slot(device))) return false;
  switch (field.use) {
    case FieldUse::kTpu:
    case FieldUse::kTpuShown: return family == DeviceFamily::kTpu;
    case FieldUse::kGpu: return family == DeviceFamily::kGpu;
    case FieldUse::kNotTpu: return family != DeviceFamily::kTpu;
    case FieldUse::kEvery:
    case FieldUse::kTpuElseShown:
    case FieldUse::kShown: return true;
  }
  return false;
}

bool is_read(const DeviceField& field, DeviceFamily family) {
  if (field.use == FieldUse::kShown || field.use == FieldUse::kTpuShown) return false;
  if (field.use == FieldUse::kTpuElseShown) return family == DeviceFamily::kTpu;
  return exists(field, family);
}

std::string_view path_of(const void* slot, const Device& device) {
  if (slot == nullptr) return {};
  for (const DeviceField& field : kFields) {
    const auto address = [](auto at) -> const void* {
      if constexpr (std::is_pointer_v<decltype(at)>) return at;
      return nullptr;
    };
    if (std::visit(address, field.slot(const_cast<Device&>(device))) == slot) return field.path;
  }
  return {};
}

std::string_view range_text(FieldRange range) {
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

Fact<double> get_field(const DeviceField& field, const Device& device) {
  // The const_cast is safe: the table has only a mutable accessor, and this function does not write through it.
  return std::visit(
      [](const auto slot) -> Fact<double> {
        if constexpr (std::is_same_v<decltype(slot), const std::monostate>) {
          return Fact<double>::none();
        } else if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(*slot)>>) {
          return static_cast<double>(*slot);
        } else {
          if (slot->is_none()) return Fact<double>::none();
          return slot->has_value() ? Fact<double>(static_cast<double>(**slot)) : Fact<double>();
        }
      },
      field.slot(const_cast<Device&>(device)));
}

void set_field(const DeviceField& field, Device& device, Fact<double> value) {
  std::visit(
      [value](auto slot) {
        if constexpr (!std::is_same_v<decltype(slot), std::monostate>) {
          using Slot = std::remove_cvref_t<decltype(*slot)>;
          if constexpr (std::is_arithmetic_v<Slot>) {
            if (value) *slot = static_cast<Slot>(*value);
          } else if (value) {
            using Value = std::remove_cvref_t<decltype(**slot)>;
            *slot = Slot(static_cast<Value>(*value));
          } else {
            *slot = value.is_none() ? Slot::none() : Slot();
          }
        }
      },
      field.slot(device));
}

}  // namespace hloroof::internal::inline hardware
