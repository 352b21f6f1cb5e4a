// Devices as text for `hloroof devices list` and `devices show`, 80 columns wide.
#ifndef HLOROOF_LIB_HARDWARE_DESCRIBE_H_
#define HLOROOF_LIB_HARDWARE_DESCRIBE_H_

#include <span>
#include <string>
#include <string_view>

#include "hloroof/device.h"

namespace hloroof::inline v0 {

// One line a device under a heading: name, what it is, bf16 peak, memory, bandwidth, ridge point, devices joined.
std::string describe_devices(std::span<const Device> devices);

// Everything known about one device: a line a number with value, kind and the number of its source, its note below it,
// and the sources at the end. Numbers that are unknown are listed as such.
std::string describe_device(const Device& device);

// A number with its unit, for reading: "819 GB/s", "16 GiB", "1.133 us", "197 Tflop/s", "unknown".
std::string format_parameter(const Parameter& parameter);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_HARDWARE_DESCRIBE_H_
