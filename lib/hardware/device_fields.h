// The table of the numbers of a device (device_fields.def) as data.
#ifndef HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_
#define HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Begins the paths of the costs of operations: "vector.weights.exponential".
inline constexpr std::string_view kWeightsPath = "vector.weights.";

enum class FieldScope { kFixed, kShared };
enum class FieldUse { kEvery, kTpu, kGpu, kNotTpu, kTpuElseShown, kTpuShown, kShown };
enum class FieldNeed { kAlways, kTpu, kGpu, kMaybe };
enum class FieldRange { kPositive, kNonNegative, kFraction, kCount, kFlag };

// A pointer to a number in a Device; std::monostate if the core of the device has no such member.
using FieldSlot = std::variant<std::monostate, double*, int64_t*, bool*, Fact<double>*, Fact<int64_t>*>;

struct DeviceField {
  std::string_view path;  // "matrix.peak.bf16"
  std::string_view unit;
  FieldScope scope;
  FieldUse use;
  FieldNeed need;
  FieldRange range;
  std::string_view meaning;
  FieldSlot (*slot)(Device&);
};

// Returns all fields, in the order of parameters().
std::span<const DeviceField> device_fields();

// Returns the index of the field at `path`; nullopt if there is none.
std::optional<size_t> find_field(std::string_view path);

bool needed(FieldNeed need, DeviceFamily family);

// The numbers that only one family has, none of them set.
std::variant<OtherCore, CpuCore, TpuCore, GpuCore> empty_core(DeviceFamily family);

// Return whether devices of the family have the number, and whether their predictions read it.
bool exists(const DeviceField& field, DeviceFamily family);
bool is_read(const DeviceField& field, DeviceFamily family);

// Returns the path of the number at `slot`, a member of `device`; empty if it is null or the table
// does not list it.
std::string_view path_of(const void* slot, const Device& device);

// Describes the values in the range: "a number above 0".
std::string_view range_text(FieldRange range);

// Returns whether `value` is finite and in range. Flags are 0 or 1.
bool in_range(FieldRange range, double value);

// Returns the number in the slot, a flag as 0 or 1; none if the core of the device has no such member.
Fact<double> get_field(const DeviceField& field, const Device& device);

// Stores a value, which must be in range, none or unknown. Does not change a slot that cannot hold the value.
void set_field(const DeviceField& field, Device& device, Fact<double> value);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_DEVICE_FIELDS_H_
