// Writes device files with the results of a calibration.
#ifndef HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_
#define HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Sets one number with an explicit source, unlike the public set_parameter(), which records Provenance::kUser. Errors:
// as for that function.
absl::Status set_parameter(Device& device, std::string_view path, double value, const ParameterSource& source);

// Returns the text of a device file that extends the built-in `base` by the numbers in which `device` differs from it,
// each with its kind, source and note, and by its accuracy. Loading it gives a device with the numbers of `device`.
// `name` and
// `display_name` are those of the new device. Errors: NotFound if `base` is not a built-in device; InvalidArgument if a
// number that `base` requires is unknown in `device`, or if a name is invalid.
// If `base` is only there to be extended, as other_common is, the text has all numbers of `device`.
absl::StatusOr<std::string> write_device_file(const Device& device, std::string_view base, std::string_view name,
                                              std::string_view display_name);

// The name of the built-in file that the device file `path` extends. Errors: those of SourceText::read() and
// parse_json(); InvalidArgument if it extends none.
absl::StatusOr<std::string> extended_by(const std::string& path);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_WRITE_DEVICE_H_
