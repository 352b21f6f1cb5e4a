#include "lib/hardware/named_target.h"

#include <utility>

namespace hloroof::internal::inline hardware {

absl::StatusOr<Target> named_target(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos || (name.size() > 5 && name.ends_with(".json"));
  return is_path ? load_device(name) : find_target(name);
}

absl::StatusOr<std::vector<Target>> named_targets(const std::vector<std::string>& names) {
  std::vector<Target> targets;
  targets.reserve(names.size());
  for (const std::string& name : names) {
    absl::StatusOr<Target> target = named_target(name);
    if (!target.ok()) return target.status();
    targets.push_back(*std::move(target));
  }
  return targets;
}

}  // namespace hloroof::internal::inline hardware
