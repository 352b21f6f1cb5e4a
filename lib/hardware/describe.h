// Formats devices as text for `hloroof devices list` and `devices show`, 80 columns wide.
#ifndef HLOROOF_LIB_HARDWARE_DESCRIBE_H_
#define HLOROOF_LIB_HARDWARE_DESCRIBE_H_

#include <span>
#include <string>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Returns a heading and one line per device: name, description, bf16 peak, memory, bandwidth, ridge point, the number
// of connected devices, and the accuracy of predictions.
std::string describe_devices(std::span<const Device> devices);

// Returns all facts about one device. Each number has a line with its value, its kind and the index of its source, with
// its note below. The sources follow at the end. Unknown numbers are listed as unknown.
std::string describe_device(const Device& device);

// Formats a number with its unit for display: "819 GB/s", "16 GiB", "1.133 us", "197 Tflop/s", "unknown".
std::string format_parameter(const Parameter& parameter);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_DESCRIBE_H_
