// Writing device files, for what calibration finds.
#ifndef HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_
#define HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::inline v0 {

// Sets one number with where it comes from: set_parameter() for those who are not the user. Errors: as set_parameter().
absl::Status set_parameter(Device& device, std::string_view path, double value, const ParameterSource& source);

// A device file that extends the built-in `base` by the numbers in which `device` differs from it, each with its kind,
// source and note; reading it gives a device with the numbers of `device`. `name` and `display_name` are the new
// device's. Errors: NotFound when `base` is no built-in device; InvalidArgument when a number that `base` must have is
// unknown in `device`, or a name is not one.
absl::StatusOr<std::string> write_device_file(const Device& device, std::string_view base, std::string_view name,
                                              std::string_view display_name);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_
