// The device that Python names.
#ifndef HLOROOF_LIB_PYTHON_TARGET_H_
#define HLOROOF_LIB_PYTHON_TARGET_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal {

// A target by its name or by the path of a device file. As on the command line, a path has a slash or ends in .json.
absl::StatusOr<Target> target_of(const std::string& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_PYTHON_TARGET_H_
