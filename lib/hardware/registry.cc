#include "lib/hardware/registry.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/json.h"
#include "lib/base/nearest.h"
#include "lib/base/sha256.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_file.h"
#include "lib/hardware/names.h"
#include "lib/hardware/networks.h"

namespace hloroof::internal::inline hardware {

namespace {

constexpr std::string_view kSourcesFile = "sources.json";
constexpr std::string_view kCudaFile = "cuda_targets.json";
constexpr std::string_view kSuffix = ".json";
constexpr size_t kMaxExtends = 8;             // files in a chain of "extends"
constexpr size_t kMaxFileBytes = 16u << 20u;  // of a device file; the built-in files have a few kilobytes
constexpr size_t kSuggestedNames = 5;         // names suggested for an unknown name
constexpr size_t kMaxNameShown = 80;          // characters of an invalid name in a message

// The files that others extend are named so and describe no device.
constexpr std::string_view kCommonSuffix = "_common.json";

// Whether the file is one of a device or of what several share.
bool is_device_file(std::string_view name) {
  return name != kSourcesFile && name != kNetworksFile && name != kCudaFile;
}

// Returns the text of the built-in device file for `name`; nullopt if there is none.
std::optional<std::string_view> embedded_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded_hardware_files()) {
    if (!is_device_file(file.name)) continue;
    if (file.name.substr(0, file.name.size() - kSuffix.size()) == name) return file.text;
  }
  return std::nullopt;
}

absl::StatusOr<DeviceFile> parse_file(std::string_view text, std::string_view path) {
  absl::StatusOr<OrderedJson> tree = parse_json(text, path);
  if (!tree.ok()) return tree.status();
  return read_device_file(*tree, path);
}

// Normalizes a name for comparison: lower case, blanks stripped at the ends, "-" and inner blanks replaced by "_".
std::string folded(std::string_view name) {
  std::string text = absl::AsciiStrToLower(absl::StripAsciiWhitespace(to_absl(name)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return text;
}

// The lookup index of the built-in devices, built once.
struct Index {
  std::map<std::string, std::string> device_by_name;     // maps a folded name or alias to the name
  std::map<std::string, std::string> device_by_letters;  // maps letters_of() a name or alias to the name
  std::set<std::string> vendors;                         // letters_of() each vendor
};

// Reduces a name to its letters and digits without the vendor: "NVIDIA A100-SXM4-40GB" and "A100 SXM4 40GB" are equal,
// and so are "TPU v5e" and "TPUv5e".
std::string letters_of(std::string_view name, const std::set<std::string>& vendors) {
  std::string text = folded(name);
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  for (const std::string& vendor : vendors) {
    if (text.size() > vendor.size() && text.compare(0, vendor.size(), vendor) == 0) return text.substr(vendor.size());
  }
  return text;
}

const Index& index() {
  static const Index* const kIndex = [] {
    auto* index = new Index;
    std::vector<std::pair<std::string, std::string>> displayed;  // display names and names
    for (const EmbeddedFile& embedded : embedded_hardware_files()) {
      if (!is_device_file(embedded.name)) continue;
      const absl::StatusOr<DeviceFile> file = parse_file(embedded.text, embedded.name);
      if (file.ok() && !file->vendor.empty()) index->vendors.insert(letters_of(file->vendor, {}));
      if (!file.ok() || file->abstract) continue;  // tests check that the built-in files are valid
      index->device_by_name.emplace(folded(file->name), file->name);
      for (const std::string& alias : file->aliases) index->device_by_name.emplace(folded(alias), file->name);
      displayed.emplace_back(file->display_name, file->name);
    }
    for (const auto& [name, device] : index->device_by_name) {
      index->device_by_letters.emplace(letters_of(name, index->vendors), device);
    }
    for (const auto& [name, device] : displayed) {
      index->device_by_letters.emplace(letters_of(name, index->vendors), device);
    }
    return index;
  }();
  return *kIndex;
}

// Returns the name of the device that has this name or alias; empty if there is none.
std::string device_of_alias(std::string_view name) {
  const std::string as_file = folded(name);
  const auto found = index().device_by_name.find(as_file);
  if (found != index().device_by_name.end()) return found->second;
  if (!as_file.empty() && as_file.back() == '_') return "";  // a part of the name is missing
  const auto similar = index().device_by_letters.find(letters_of(name, index().vendors));
  return similar == index().device_by_letters.end() ? std::string() : similar->second;
}

// Returns the built-in devices of a vendor, a family or a platform of JAX: of "NVIDIA", "gpu", "cuda". Empty if the
// name is none of these.
std::vector<std::string> devices_of_kind(std::string_view name) {
  std::string kind = letters_of(name, index().vendors);
  if (kind == "cuda") kind = "nvidia";
  if (kind == "rocm") kind = "amd";
  const bool is_tpu = kind == "tpu";
  const bool is_gpu = kind == "gpu";
  if (!is_tpu && !is_gpu && !index().vendors.contains(kind)) return {};
  std::vector<std::string> names;
  for (const std::string& device_name : device_names()) {
    const absl::StatusOr<Device> device = find_device(device_name);
    if (!device.ok()) continue;  // tests check that the built-in files are valid
    const bool is_of_family =
        is_tpu ? device->family() == DeviceFamily::kTpu : is_gpu && device->family() == DeviceFamily::kGpu;
    if (is_of_family || letters_of(device->vendor, {}) == kind) names.push_back(device_name);
  }
  return names;
}

absl::Status unknown_device(std::string_view name) {
  const std::string unknown = absl::StrCat("no device \"", to_absl(name.substr(0, kMaxNameShown)), "\"; ");
  const std::vector<std::string> of_kind = devices_of_kind(name);
  if (!of_kind.empty()) return not_found(absl::StrCat(unknown, "name one of ", absl::StrJoin(of_kind, ", ")));

  // Suggest the devices with the nearest names and aliases, each device once; all devices if nothing is near.
  std::vector<std::string> candidates;
  for (const auto& [alias, device] : index().device_by_name) candidates.push_back(alias);
  const std::string wanted = folded(name);
  const std::vector<std::string> nearest = nearest_names(wanted, candidates, candidates.size());
  const std::string_view compared = std::string_view(wanted).substr(0, kMaxNameShown);
  if (nearest.empty() || edit_distance(compared, nearest.front()) > std::max<size_t>(2, compared.size() / 2)) {
    return not_found(absl::StrCat(unknown, "the devices are ", absl::StrJoin(device_names(), ", ")));
  }
  std::vector<std::string> offered;
  for (const std::string& alias : nearest) {
    const std::string& device = index().device_by_name.at(alias);
    if (std::find(offered.begin(), offered.end(), device) == offered.end()) offered.push_back(device);
    if (offered.size() == kSuggestedNames) break;
  }
  return not_found(absl::StrCat(unknown, "the nearest are ", absl::StrJoin(offered, ", ")));
}

// Merges `file`, read from `text`, into the files that it extends, and builds the device.
absl::StatusOr<Device> complete(DeviceFile file, std::string_view text, std::string_view path) {
  std::string hashed(text);
  for (size_t links = 0; !file.extends.empty(); ++links) {
    const std::optional<std::string_view> base_text = embedded_text(file.extends);
    if (!base_text || links == kMaxExtends) {
      return invalid_argument(absl::StrCat(to_absl(path), ": at extends: found \"",
                                           file.extends.substr(0, kMaxNameShown),
                                           "\"; expected the name of a built-in device"));
    }
    hashed += *base_text;
    absl::StatusOr<DeviceFile> base = parse_file(*base_text, file.extends);
    if (!base.ok()) return base.status();
    std::string next = base->extends;
    file = extend_device_file(*base, file);
    file.extends = std::move(next);
  }
  absl::StatusOr<Device> device = build_device(file, source_titles(), path);
  if (device.ok()) device->file_sha256 = sha256_hex(hashed);
  return device;
}

// Finds a built-in device by the part of a target's name before the topology.
absl::StatusOr<Device> built_in_device(std::string_view name) {
  // A canonical name needs no index, so most calls read one file.
  std::optional<std::string_view> text = embedded_text(folded(name));
  if (!text) text = embedded_text(device_of_alias(name));
  if (!text) return unknown_device(name);
  absl::StatusOr<DeviceFile> file = parse_file(*text, name);
  if (!file.ok()) return file.status();
  if (file->abstract) return unknown_device(name);
  const std::string path = file->name;
  return complete(*std::move(file), *text, path);
}

// Finds the target that a Cloud TPU slice of this name is. Returns nullopt if `name` is none. Errors: InvalidArgument
// if no slice has so many cores, or if the device is no TPU.
absl::StatusOr<std::optional<Target>> slice_target(std::string_view name) {
  const std::optional<SliceName> slice = parse_slice_name(from_absl(absl::StripAsciiWhitespace(to_absl(name))));
  if (!slice) return std::nullopt;
  absl::StatusOr<Device> device = built_in_device(slice->version);
  if (!device.ok()) return std::nullopt;
  if (device->family() != DeviceFamily::kTpu) {
    return invalid_argument(absl::StrCat("\"", to_absl(name.substr(0, kMaxNameShown)), "\": write ", slice->cores,
                                         " devices of ", device->name, " as ", device->name, ":", slice->cores));
  }
  absl::StatusOr<Topology> topology = topology_of_cores(*device, name.substr(0, kMaxNameShown), slice->cores);
  if (!topology.ok()) return topology.status();
  Target target = *std::move(device);
  target.topology = *std::move(topology);
  return target;
}

}  // namespace

std::optional<std::string_view> embedded_hardware_text(std::string_view file) {
  for (const EmbeddedFile& embedded : embedded_hardware_files()) {
    if (embedded.name == file) return embedded.text;
  }
  return std::nullopt;
}

std::string_view cuda_targets() { return embedded_hardware_text(kCudaFile).value_or("{}"); }

const std::map<std::string, std::string>& source_titles() {
  static const std::map<std::string, std::string>* const kTitles = [] {
    auto* read = new std::map<std::string, std::string>;
    const absl::StatusOr<OrderedJson> tree =
        parse_json(embedded_hardware_text(kSourcesFile).value_or("{}"), kSourcesFile);
    if (!tree.ok()) return read;  // tests check that it is valid
    for (const auto& title : tree->items()) read->emplace(title.key(), title.value().get<std::string>());
    return read;
  }();
  return *kTitles;
}

absl::StatusOr<Device> device_from_text(std::string_view text, std::string_view path) {
  absl::StatusOr<DeviceFile> file = parse_file(text, path);
  if (!file.ok()) return file.status();
  if (file->abstract) {
    return invalid_argument(absl::StrCat(to_absl(path),
                                         ": at abstract: found true; expected a device, since only built-in "
                                         "files can be extended"));
  }
  return complete(*std::move(file), text, path);
}

absl::Status check_device_file(std::string_view text, std::string_view path) {
  return device_from_text(text, path).status();
}

}  // namespace hloroof::internal::inline hardware

namespace hloroof::inline v0 {
using namespace internal;

absl::StatusOr<Device> find_device(std::string_view full) {
  const NameAndNetworks split = split_networks(full);
  const std::string_view name = split.name;
  if (name.find_first_of(":*") == std::string_view::npos) {
    absl::StatusOr<Device> device = built_in_device(name);
    if (device.ok()) {
      if (absl::Status set = set_networks(*device, split.networks); !set.ok()) return set;
      return device;
    }
    const absl::StatusOr<std::optional<Target>> slice = slice_target(name);
    if (!slice.ok()) return slice.status();
    if (!*slice) return device;
  }
  return invalid_argument(
      absl::StrCat("\"", to_absl(name.substr(0, kMaxNameShown)),
                   "\" requests a topology, which is not part of a device; find_target() reads it"));
}

absl::StatusOr<Target> find_target(std::string_view full) {
  // The network may stand on either side of the topology: "h100_sxm:128@a3-high", "h100_sxm@a3-high:128".
  const NameAndNetworks split = split_networks(full);
  const std::string_view name = split.name;
  // A topology follows the last colon. Without a colon, a number of slices follows a star. Names and aliases contain
  // neither.
  const size_t colon = name.rfind(':');
  const size_t star = colon == std::string_view::npos ? name.rfind('*') : std::string_view::npos;
  const std::string_view of_device = name.substr(0, std::min(colon, star));
  absl::StatusOr<Device> device = built_in_device(of_device);
  Target target;
  if (device.ok()) {
    target = *std::move(device);
  } else {
    absl::StatusOr<std::optional<Target>> slice = slice_target(of_device);
    if (!slice.ok()) return slice.status();
    if (!*slice) return device.status();
    if (colon != std::string_view::npos) {
      return invalid_argument(absl::StrCat("\"", to_absl(name.substr(0, kMaxNameShown)),
                                           "\" names two topologies: ", (*slice)->topology->to_string(), " and ",
                                           to_absl(name.substr(colon + 1, kMaxNameShown))));
    }
    target = **std::move(slice);
  }
  // First the network, since the size of a domain limits the topology.
  if (absl::Status set = set_networks(target.device, split.networks); !set.ok()) return set;
  if (star != std::string_view::npos) {
    absl::StatusOr<int64_t> slices = parse_slices(target.device, name.substr(star), name.substr(star + 1));
    if (!slices.ok()) return slices.status();
    target.slices = *slices;
  }
  if (colon != std::string_view::npos) {
    absl::StatusOr<Topology> topology = parse_topology(target.device, name.substr(colon + 1));
    if (!topology.ok()) return topology.status();
    target.topology = *std::move(topology);
  }
  return target;
}

absl::StatusOr<Device> load_device(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  if (in) {
    text.resize(kMaxFileBytes + 1);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
  }
  if (in.bad() || (!in.eof() && text.size() <= kMaxFileBytes)) {
    return not_found(absl::StrCat(path, ": cannot be read"));
  }
  if (text.size() > kMaxFileBytes) {
    return invalid_argument(absl::StrCat(path, ": longer than ", kMaxFileBytes, " bytes, which no device file is"));
  }
  absl::StatusOr<Device> device = device_from_text(text, path);
  if (device.ok()) device->origin = path;
  return device;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_hardware_files()) {
    if (!is_device_file(file.name) || file.name.ends_with(kCommonSuffix)) continue;
    names.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  }
  return names;
}

}  // namespace hloroof::inline v0
