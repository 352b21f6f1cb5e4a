// The table of numbers a device has (device_fields.def) as data.
#ifndef HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_
#define HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "hloroof/device.h"

namespace hloroof::inline v0 {

enum class FieldScope { kFixed, kShared };
enum class FieldNeed { kAlways, kTpu, kGpu, kMaybe };
enum class FieldRange { kPositive, kNonNegative, kFraction, kCount, kFlag };

// Where in a Device a number lives.
using FieldSlot =
    std::variant<double*, int64_t*, std::optional<double>*, std::optional<int64_t>*, std::optional<bool>*>;

struct DeviceField {
  std::string_view path;  // "matrix.peak.bf16"
  std::string_view unit;
  FieldScope scope;
  FieldNeed need;
  FieldRange range;
  std::string_view meaning;
  FieldSlot (*slot)(Device&);
};

// All fields, in the order of parameters().
std::span<const DeviceField> device_fields();

// Index of the field at `path`; empty when there is none.
std::optional<size_t> find_field(std::string_view path);

bool needed(FieldNeed need, DeviceFamily family);

// What values of that range may be, in words: "a number above 0".
std::string_view describe(FieldRange range);

// Is `value` finite and in range? Flags are 0 or 1.
bool in_range(FieldRange range, double value);

// The number in the slot; a flag as 0 or 1.
std::optional<double> get_field(const DeviceField& field, const Device& device);

// Stores a value that is in range; empties an optional slot for std::nullopt, and leaves a plain one as it is.
void set_field(const DeviceField& field, Device& device, std::optional<double> value);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_
