#include "lib/hardware/named_target.h"

#include <utility>

#include "lib/hardware/networks.h"

namespace hloroof::internal::inline hardware {

absl::StatusOr<Target> named_target(const std::string& name) {
  // A topology and networks may follow the path of a device file. The path itself may contain a colon or an "@".
  const size_t suffix = name.rfind(".json");
  const size_t end = suffix == std::string::npos ? name.size() : suffix + 5;
  const bool ends_path = end == name.size() || name[end] == ':' || name[end] == '@';
  const std::string path = ends_path ? name.substr(0, end) : name;
  const bool is_path = path.find('/') != std::string::npos || (path.size() > 5 && path.ends_with(".json"));
  if (!is_path) return find_target(name);
  absl::StatusOr<Device> device = load_device(path);
  if (!device.ok()) return device.status();
  const NameAndNetworks split = split_networks(std::string_view(name).substr(path.size()));
  if (absl::Status set = set_networks(*device, split.networks); !set.ok()) return set;
  Target target = *std::move(device);
  if (split.name.size() > 1) {
    absl::StatusOr<Topology> topology = parse_topology(target.device, std::string_view(split.name).substr(1));
    if (!topology.ok()) return topology.status();
    target.topology = *std::move(topology);
  }
  return target;
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
