#include "lib/hardware/networks.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/json.h"
#include "lib/base/nearest.h"
#include "lib/base/sha256.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal::inline hardware {
namespace {

constexpr size_t kMostOfName = 60;  // characters of a wrong name in a message

std::string_view networks_text() { return embedded_hardware_text(kNetworksFile).value_or(std::string_view()); }

// Reduces a name to what tells it from others: "A3 High", "a3_high" and "a3-high" are equal.
std::string folded_network(std::string_view name) {
  std::string text = absl::AsciiStrToLower(absl::StripAsciiWhitespace(to_absl(name)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '_' || c == ' '; }, '-');
  return text;
}

bool is_of(const NamedNetwork& network, std::string_view device) {
  return std::find(network.devices.begin(), network.devices.end(), device) != network.devices.end();
}

// Network = the members of a device file that say something of the network, and "devices": [name...]
absl::StatusOr<NamedNetwork> read_network(const std::string& name, const OrderedJson& value, std::string_view path) {
  const std::string at = absl::StrCat(to_absl(path), ": at networks.", name.substr(0, kMostOfName));
  if (!value.is_object()) return invalid_argument(absl::StrCat(at, ": expected an object"));
  NamedNetwork network;
  network.name = name;
  // The numbers are those of a device file, and are read as such.
  OrderedJson numbers = OrderedJson::object();
  numbers["schema"] = kDeviceSchema;
  for (const auto& [key, member] : value.items()) {
    if (key == "devices" && member.is_array()) {
      for (const OrderedJson& device : member) {
        if (!device.is_string()) return invalid_argument(absl::StrCat(at, ".devices: expected an array of names"));
        network.devices.push_back(device.get<std::string>());
      }
    } else if (key == "display_name" || key == "sources" || key == "network" || key == "scale_up") {
      numbers[key] = member;
    } else {
      return invalid_argument(absl::StrCat(at, ".", key.substr(0, kMostOfName),
                                           ": no such member; a network has display_name, devices, network, scale_up "
                                           "and sources"));
    }
  }
  absl::StatusOr<DeviceFile> file = read_device_file(numbers, at);
  if (!file.ok()) return file.status();
  if (file->display_name.empty()) return invalid_argument(absl::StrCat(at, ": \"display_name\" is missing"));
  if (network.devices.empty()) {
    return invalid_argument(
        absl::StrCat(at, ": \"devices\" is missing; expected the names of the devices that have it"));
  }
  network.numbers = *std::move(file);
  return network;
}

}  // namespace

absl::StatusOr<std::vector<NamedNetwork>> read_networks(std::string_view text, std::string_view path) {
  const absl::StatusOr<OrderedJson> tree = parse_json(text, path);
  if (!tree.ok()) return tree.status();
  const OrderedJson* const schema = find(*tree, {"schema"});
  if (schema == nullptr || *schema != kNetworksSchema) {
    return invalid_argument(absl::StrCat(to_absl(path), ": at schema: expected \"", to_absl(kNetworksSchema), "\""));
  }
  const OrderedJson* const list = find(*tree, {"networks"});
  if (list == nullptr || !list->is_object()) {
    return invalid_argument(absl::StrCat(to_absl(path), ": at networks: expected an object of networks by name"));
  }
  std::vector<NamedNetwork> networks;
  for (const auto& [name, value] : list->items()) {
    // One whose numbers differ between devices is an array.
    for (const OrderedJson& one : value.is_array() ? value : OrderedJson::array({value})) {
      absl::StatusOr<NamedNetwork> network = read_network(name, one, path);
      if (!network.ok()) return network.status();
      networks.push_back(*std::move(network));
    }
  }
  return networks;
}

const std::vector<NamedNetwork>& built_in_networks() {
  static const std::vector<NamedNetwork>* const kNetworks = [] {
    absl::StatusOr<std::vector<NamedNetwork>> read = read_networks(networks_text(), kNetworksFile);
    return new std::vector<NamedNetwork>(read.ok() ? *std::move(read) : std::vector<NamedNetwork>());  // a test checks
  }();
  return *kNetworks;
}

NameAndNetworks split_networks(std::string_view name) {
  NameAndNetworks split;
  size_t from = 0;
  while (true) {
    const size_t at = name.find('@', from);
    split.name += name.substr(from, at == std::string_view::npos ? at : at - from);
    if (at == std::string_view::npos) return split;
    from = std::min(name.find_first_of("@:*", at + 1), name.size());
    split.networks.emplace_back(name.substr(at + 1, from - at - 1));
  }
}

namespace {

bool states_nics(const NamedNetwork& network) {
  return network.numbers.quantities[*find_field("network.bandwidth")].has_value();
}

absl::Status set_network(Device& device, std::string_view name) {
  if (device.gpu() == nullptr) {
    return invalid_argument(absl::StrCat("\"@", to_absl(name.substr(0, kMostOfName)), "\": ", device.name,
                                         " is no GPU; networks are of GPUs"));
  }
  const std::string base = device.name.substr(0, device.name.find('@'));
  std::vector<const NamedNetwork*> candidates;
  for (const NamedNetwork& known : built_in_networks()) {
    if (known.name == folded_network(name)) candidates.push_back(&known);
  }
  if (candidates.empty()) {
    const std::vector<std::string> names = network_names();
    return not_found(absl::StrCat("no network \"", to_absl(name.substr(0, kMostOfName)), "\"; the nearest is ",
                                  nearest_names(folded_network(name), names, 1).at(0), ", and there are ",
                                  absl::StrJoin(names, ", ")));
  }
  const NamedNetwork* found = candidates.front();
  if (candidates.size() > 1) {
    const auto own =
        std::find_if(candidates.begin(), candidates.end(), [&](const NamedNetwork* one) { return is_of(*one, base); });
    if (own == candidates.end()) {
      std::vector<std::string> devices;
      for (const NamedNetwork* one : candidates)
        devices.insert(devices.end(), one->devices.begin(), one->devices.end());
      return invalid_argument(
          absl::StrCat("\"@", found->name, "\": not known of ", base, ", only of ", absl::StrJoin(devices, ", ")));
    }
    found = *own;
  }
  for (const NamedNetwork& other : built_in_networks()) {
    const bool is_set = absl::StrCat(device.name, "@").find(absl::StrCat("@", other.name, "@")) != std::string::npos;
    if (is_set && states_nics(other) && states_nics(*found)) {
      return invalid_argument(absl::StrCat(device.name, "@", found->name, " names two networks"));
    }
  }
  const std::span<const DeviceField> fields = device_fields();
  bool in_domain = false;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::optional<Quantity>& quantity = found->numbers.quantities[i];
    if (!quantity) continue;
    set_field(fields[i], device, quantity->value);
    in_domain |= fields[i].path.starts_with("scale_up.") && fields[i].path != "scale_up.domain";
    device.sources[i] = quantity->source;
    const auto title = source_titles().find(quantity->source.source);
    if (title != source_titles().end()) device.sources[i].source = title->second;
  }
  const std::string separator = device.network.name.empty() ? "" : "; ";
  device.network.name += (separator.empty() ? "" : "@") + found->name;
  device.network.description += separator + found->numbers.display_name;
  device.name += "@" + found->name;
  device.file_sha256 = sha256_hex(absl::StrCat(device.file_sha256, to_absl(networks_text())));
  // Kernels and the collectives of one domain do not depend on the network, whole steps may.
  std::erase_if(device.accuracy, [&](const Accuracy& accuracy) {
    return accuracy.what == Measured::kSteps || (in_domain && accuracy.what == Measured::kCollectives);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status set_networks(Device& device, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (absl::Status set = set_network(device, name); !set.ok()) return set;
  }
  return absl::OkStatus();
}

std::string network_words(const Device& device) {
  if (device.gpu() == nullptr || !device.network.bandwidth) return "";
  const Network& network = device.network;
  const std::string nic = absl::StrFormat("NIC%s of %g GB/s", network.nics ? "s" : "", *network.bandwidth / 1e9);
  std::string words = network.nics ? absl::StrFormat("%g %s for each %g devices", *network.nics, nic,
                                                     network.node_devices ? *network.node_devices
                                                                          : static_cast<double>(device.scale_up.domain))
                                   : absl::StrCat("a ", nic, " for each device");
  absl::StrAppend(&words,
                  network.efficiency ? absl::StrFormat(", of which large transfers attain %g", *network.efficiency)
                                     : std::string(", whose efficiency is not known and taken for 1"),
                  "; domains of ", device.scale_up.domain, ". ");
  if (!network.name.empty()) return absl::StrCat(network.name, ", ", network.description, ": ", words);
  std::vector<std::string> others;
  for (const NamedNetwork& other : built_in_networks()) {
    if (is_of(other, device.name)) others.push_back(device.name + "@" + other.name);
  }
  absl::StrAppend(&words, "The device file assumes it",
                  others.empty() ? "" : "; others by name: ", absl::StrJoin(others, ", "));
  return words;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const NamedNetwork& network : built_in_networks()) {
    if (names.empty() || names.back() != network.name) names.push_back(network.name);
  }
  return names;
}

}  // namespace hloroof::internal::inline hardware
