#include "lib/python/target.h"

namespace hloroof::internal {

absl::StatusOr<Target> target_of(const std::string& device) {
  const bool is_path = device.find('/') != std::string::npos ||
                       (device.size() > 5 && device.compare(device.size() - 5, 5, ".json") == 0);
  return is_path ? load_device(device) : find_target(device);
}

}  // namespace hloroof::internal
