// The device that a user names.
#ifndef HLOROOF_LIB_HARDWARE_NAMED_TARGET_H_
#define HLOROOF_LIB_HARDWARE_NAMED_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// A target by its name or by the path of a device file. A path has a slash or ends in .json; a network may follow it,
// as in "my_gpu.json@a3-high". Errors: those of find_target() and load_device().
absl::StatusOr<Target> named_target(const std::string& name);
absl::StatusOr<std::vector<Target>> named_targets(const std::vector<std::string>& names);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_NAMED_TARGET_H_
