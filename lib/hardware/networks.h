// The networks of GPUs by name: data/hardware/networks.json.
#ifndef HLOROOF_LIB_HARDWARE_NETWORKS_H_
#define HLOROOF_LIB_HARDWARE_NETWORKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/hardware/device_file.h"

namespace hloroof::internal::inline hardware {

inline constexpr std::string_view kNetworksFile = "networks.json";

// The "schema" member of that file.
inline constexpr std::string_view kNetworksSchema = "hloroof.networks/1";

// One network or setting of one: the numbers of `network` and `scale_up` that it has in place of those of a device
// file. Several have the same name if their numbers differ between devices.
struct NamedNetwork {
  std::string name;                  // "a3-high"
  std::vector<std::string> devices;  // the devices of the machines with this network
  DeviceFile numbers;                // display_name describes the network
};

// Reads the text of a file of networks. Errors: InvalidArgument, naming `path`, the place in the file, the value found
// and the value expected.
absl::StatusOr<std::vector<NamedNetwork>> read_networks(std::string_view text, std::string_view path);

// The networks compiled into the library.
const std::vector<NamedNetwork>& built_in_networks();

// The names that may follow that of a GPU.
std::vector<std::string> network_names();

// The name of a device or target without the networks that follow it: "h100_sxm:128" and "a3-high" of both
// "h100_sxm:128@a3-high" and "h100_sxm@a3-high:128".
struct NameAndNetworks {
  std::string name;
  std::vector<std::string> networks;
};
NameAndNetworks split_networks(std::string_view name);

// Gives `device` the networks of these names, ignoring case. Errors: NotFound, with the names and the nearest one
// first; InvalidArgument if the device is no GPU, if a network has no numbers for it, or if two state NICs.
absl::Status set_networks(Device& device, const std::vector<std::string>& names);

// What a GPU assumes of its network, for people.
std::string network_words(const Device& device);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_NETWORKS_H_
