// The topologies of a device: the slice shapes that are available, and the axes that close to rings.
#include "lib/hardware/topology.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "hloroof/device.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/hardware/names.h"
#include "lib/hardware/registry.h"

namespace hloroof::internal::inline hardware {

namespace {

int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b == 0 ? 0 : 1); }

bool has_torus(const Device& device) { return device.ici.dims > 0 && !device.ici.slices.empty(); }

// An axis of two cannot wrap: the closing link would connect the same two chips a second time.
bool can_wrap(int64_t extent) { return extent > 2; }

// Returns whether an axis consists of whole cubes, so that optical switches can join its ends.
bool is_whole_cubes(const Ici& ici, int64_t extent) { return ici.cube_edge > 0 && extent % ici.cube_edge == 0; }

std::vector<bool> wraps_of(const Device& device, const std::vector<int64_t>& shape) {
  std::vector<bool> wraps(shape.size(), false);
  switch (device.ici.wrap) {
    case WrapRule::kNone: break;
    case WrapRule::kFullAxis:
      for (size_t i = 0; i < shape.size() && i < device.ici.pod_shape.size(); ++i) {
        wraps[i] = can_wrap(shape[i]) && shape[i] == device.ici.pod_shape[i];
      }
      break;
    case WrapRule::kWholeCubes:
      if (std::all_of(shape.begin(), shape.end(), [&](int64_t extent) { return is_whole_cubes(device.ici, extent); })) {
        for (size_t i = 0; i < shape.size(); ++i) wraps[i] = can_wrap(shape[i]);
      }
      break;
    case WrapRule::kAlways:
      for (size_t i = 0; i < shape.size(); ++i) wraps[i] = can_wrap(shape[i]);
      break;
  }
  return wraps;
}

// A slice of cubes can be twisted if each axis has the shortest length or twice that, and both lengths occur. The
// wraparound links of the shorter axes, which optical switches provide, then end half-way along the longer axes (Cloud
// TPU v4 documentation; Jouppi et al., "TPU v4", ISCA 2023, section 2.8).
bool can_twist(const Device& device, const std::vector<int64_t>& shape) {
  const int64_t shortest = *std::min_element(shape.begin(), shape.end());
  const int64_t longest = *std::max_element(shape.begin(), shape.end());
  return device.ici.wrap == WrapRule::kWholeCubes && is_whole_cubes(device.ici, shortest) && longest == 2 * shortest &&
         std::all_of(shape.begin(), shape.end(),
                     [&](int64_t extent) { return extent == shortest || extent == longest; });
}

Topology make_topology(const Device& device, std::vector<int64_t> shape, int64_t slices) {
  Topology topology;
  topology.wraps = has_torus(device) ? wraps_of(device, shape) : std::vector<bool>(shape.size(), false);
  topology.shape = std::move(shape);
  topology.slices = slices;
  topology.devices_per_chip = has_torus(device) ? device.devices_per_chip : 1;  // without a torus, shape counts devices
  return topology;
}

absl::Status bad_topology(const Device& device, std::string_view text, std::string_view why) {
  return invalid_argument(
      absl::StrCat("the topology \"", to_absl(text.substr(0, 60)), "\" of ", device.name, ": ", to_absl(why)));
}

std::string slice_list(const Device& device) {
  std::string list;
  for (const std::vector<int64_t>& slice : device.ici.slices) {
    absl::StrAppend(&list, list.empty() ? "" : ", ", print_box(slice));
  }
  return list;
}

// Converts a shape to `dims` axes by removing or adding axes of one chip. Returns nullopt if more than `dims` axes are
// longer than one chip.
std::optional<std::vector<int64_t>> fit_axes(std::vector<int64_t> shape, size_t dims) {
  while (shape.size() > dims) {
    const auto one = std::find(shape.begin(), shape.end(), 1);
    if (one == shape.end()) return std::nullopt;
    shape.erase(one);
  }
  shape.resize(dims, 1);
  return shape;
}

// Returns whether the box fits into the pod in some orientation.
bool fits_pod(std::vector<int64_t> shape, std::vector<int64_t> pod) {
  if (pod.empty()) return true;
  std::sort(shape.begin(), shape.end());
  std::sort(pod.begin(), pod.end());
  return std::equal(shape.begin(), shape.end(), pod.begin(), pod.end(), std::less_equal<>());
}

// Returns whether slices of that shape exist, in some orientation: the standard ones, and on a device whose cubes
// optical switches join also all boxes of whole cubes, and the parts of one cube whose axes divide its edge (Jouppi et
// al., "TPU v4", ISCA 2023, section 2.8 and table 2). A device file without an edge lists all shapes.
bool is_slice(const Ici& ici, std::vector<int64_t> shape) {
  const auto every = [&](const auto& holds) { return std::all_of(shape.begin(), shape.end(), holds); };
  if (ici.cube_edge > 0) {
    if (every([&](int64_t extent) { return is_whole_cubes(ici, extent); })) return true;
    if (every([&](int64_t extent) { return ici.cube_edge % extent == 0; })) return true;
  }
  std::sort(shape.begin(), shape.end());
  return std::any_of(ici.slices.begin(), ici.slices.end(), [&](std::vector<int64_t> slice) {
    std::sort(slice.begin(), slice.end());
    return slice == shape;
  });
}

// Removes `suffix` from the end of `text`. Returns false if `text` does not end with it.
bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
  text.remove_suffix(suffix.size());
  return true;
}

absl::StatusOr<Topology> torus_topology(const Device& device, std::string_view text, std::vector<int64_t> shape,
                                        int64_t slices) {
  const size_t dims = device.ici.slices[0].size();
  if (shape.size() == 1 && dims > 1) {
    // A single number on a torus of several axes is a device count: use the standard slice of that size.
    absl::StatusOr<Topology> topology = default_topology(device, shape[0]);
    if (!topology.ok()) return topology.status();
    if (topology->device_count() != shape[0]) {
      return bad_topology(
          device, text,
          absl::StrCat("no standard slice has ", shape[0], " devices; its slices are ", slice_list(device), " chips"));
    }
    if (topology->slices != 1 && slices != 1) return bad_topology(device, text, "more devices than one slice has");
    topology->slices *= slices;
    return topology;
  }
  std::optional<std::vector<int64_t>> fitted = fit_axes(std::move(shape), dims);
  if (!fitted) return bad_topology(device, text, absl::StrCat("its torus has ", dims, " axes"));
  if (!fits_pod(*fitted, device.ici.pod_shape)) {
    return bad_topology(device, text, absl::StrCat("its pod has ", print_box(device.ici.pod_shape), " chips"));
  }
  if (!is_slice(device.ici, *fitted)) {
    std::string possible = absl::StrCat("there is no such slice; its slices are ", slice_list(device));
    if (device.ici.cube_edge > 0) {
      absl::StrAppend(&possible, ", and all whose axes are multiples of ", device.ici.cube_edge, " or divide it,");
    }
    return bad_topology(device, text, possible + " chips, in any orientation");
  }
  return make_topology(device, *std::move(fitted), slices);
}

absl::StatusOr<Topology> domain_topology(const Device& device, std::string_view text, const std::vector<int64_t>& shape,
                                         std::optional<int64_t> slices) {
  const int64_t domain = device.scale_up.domain;
  if (shape.size() != 1) return bad_topology(device, text, "it has no torus; give a number of devices, such as \"16\"");
  if (shape[0] <= domain) return make_topology(device, shape, slices.value_or(1));
  if (slices || shape[0] % domain != 0) {
    return bad_topology(
        device, text,
        absl::StrCat("devices are joined in domains of ", domain, "; give at most that many, or a multiple of it"));
  }
  return make_topology(device, {domain}, shape[0] / domain);
}

}  // namespace

absl::StatusOr<Topology> default_topology(const Device& device, int64_t device_count) {
  if (device_count < 1) {
    return invalid_argument(absl::StrCat("a topology of ", device_count, " devices; expected at least 1"));
  }
  if (!has_torus(device)) {
    const int64_t domain = std::max<int64_t>(device.scale_up.domain, 1);
    if (device_count <= domain) return make_topology(device, {device_count}, 1);
    return make_topology(device, {domain}, ceil_divide(device_count, domain));
  }
  const int64_t chips = ceil_divide(device_count, std::max<int64_t>(device.devices_per_chip, 1));
  std::vector<int64_t> largest(device.ici.slices[0].size(), 1);
  for (const std::vector<int64_t>& slice : device.ici.slices) {
    if (box_size(slice).value_or(0) >= chips) return make_topology(device, slice, 1);
    largest = slice;  // slices are sorted by size
  }
  return make_topology(device, largest, ceil_divide(chips, std::max<int64_t>(box_size(largest).value_or(1), 1)));
}

absl::StatusOr<int64_t> parse_slices(const Device& device, std::string_view text, std::string_view digits) {
  const std::optional<int64_t> count = parse_number<int64_t>(digits);
  if (!count || *count < 1 || *count > kMaxSlices) {
    return bad_topology(device, text, absl::StrCat("after \"*\" stands the number of slices, 1 to ", kMaxSlices));
  }
  return *count;
}

absl::StatusOr<Topology> topology_of_cores(const Device& device, std::string_view text, int64_t cores) {
  const int64_t cores_per_chip = std::max<int64_t>(device.cores_per_chip, 1);
  std::string sizes;
  for (const std::vector<int64_t>& slice : device.ici.slices) {
    const int64_t chips = box_size(slice).value_or(0);
    if (chips * cores_per_chip == cores) return make_topology(device, slice, 1);
    absl::StrAppend(&sizes, sizes.empty() ? "" : ", ", chips * cores_per_chip);
  }
  return invalid_argument(absl::StrCat("\"", to_absl(text), "\": no standard slice of ", device.name, " has ", cores,
                                       " TensorCores (", cores_per_chip, " per chip)\n  its slices have ", sizes,
                                       "\n  or give the chips along each axis, such as ", device.name, ":",
                                       print_box(device.ici.slices.back())));
}

namespace {

absl::Status too_few_devices(const Target& target, const Topology& topology, int64_t device_count) {
  return invalid_argument(absl::StrCat("the topology ", topology.to_string(), " of ", target.device.name, " has ",
                                       topology.device_count(), " devices; the module needs ", device_count));
}

// The topology of a text that names its slices, of `device_count` devices together. A requested topology is that of one
// slice.
absl::StatusOr<Topology> topology_of_slices(const Target& target, int64_t device_count, int64_t slices) {
  const bool states_slices = target.topology && has_torus(target.device) && target.topology->slices != 1;
  const int64_t requested = target.slices.value_or(states_slices ? target.topology->slices : slices);
  if (requested != slices) {
    return invalid_argument(
        absl::StrCat("the text is the program of one of ", slices, " slices, which its transfers between slices name; ",
                     "--slices can confirm this number but not change it to ", requested, ": compile the program for ",
                     requested, requested == 1 ? " slice" : " slices"));
  }
  const int64_t of_slice = ceil_divide(device_count, slices);
  absl::StatusOr<Topology> topology = target.topology ? *target.topology : default_topology(target.device, of_slice);
  if (!topology.ok()) return topology;
  if (target.topology && has_torus(target.device)) topology->slices = 1;
  if (topology->device_count() < of_slice) return too_few_devices(target, *topology, of_slice);
  topology->slices *= slices;
  return topology;
}

// The part of one slice that runs a program for fewer devices: chips in the shape of the standard slice for so many
// devices. An axis of it closes to a ring only if it is a whole axis of the slice. nullopt if there is no such slice,
// or it fits in no orientation.
std::optional<Topology> part_of_slice(const Device& device, const Topology& whole, int64_t device_count) {
  if (!has_torus(device) || whole.slices != 1 || device_count < 1) return std::nullopt;
  const absl::StatusOr<Topology> alone = default_topology(device, device_count);
  if (!alone.ok() || alone->device_count() != device_count || alone->slices != 1) return std::nullopt;
  std::vector<int64_t> shape = alone->shape;
  std::sort(shape.begin(), shape.end());
  do {
    if (!std::equal(shape.begin(), shape.end(), whole.shape.begin(), whole.shape.end(), std::less_equal<>())) continue;
    Topology part = whole;
    part.twisted = false;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      part.wraps[axis] = whole.wraps[axis] && !whole.twisted && shape[axis] == whole.shape[axis];
    }
    part.shape = shape;
    return part;
  } while (std::next_permutation(shape.begin(), shape.end()));
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Topology> topology_for(const Target& target, int64_t device_count, int64_t text_slices) {
  if (target.slices && *target.slices < 1) {
    return invalid_argument(absl::StrCat("the number of slices must be at least 1, not ", *target.slices));
  }
  if (text_slices > 1) return topology_of_slices(target, device_count, text_slices);
  absl::StatusOr<Topology> topology =
      target.topology ? *target.topology
                      : default_topology(target.device, ceil_divide(device_count, target.slices.value_or(1)));
  if (!topology.ok()) return topology;
  if (target.slices) topology->slices = *target.slices;
  if (topology->device_count() < device_count) return too_few_devices(target, *topology, device_count);
  if (target.topology && device_count > 1 && topology->device_count() > device_count) {
    if (std::optional<Topology> part = part_of_slice(target.device, *topology, device_count)) return *std::move(part);
  }
  return topology;
}

}  // namespace hloroof::internal::inline hardware

namespace hloroof::inline v0 {
using namespace internal;

// Topology = Box [ "_twisted" | "_untwisted" ] [ "*" Count ]
absl::StatusOr<Topology> parse_topology(const Device& device, std::string_view text) {
  const std::string_view stripped = from_absl(absl::StripAsciiWhitespace(to_absl(text)));
  const size_t star = stripped.find('*');
  std::optional<int64_t> slices;
  if (star != std::string_view::npos) {
    absl::StatusOr<int64_t> count = parse_slices(device, text, stripped.substr(star + 1));
    if (!count.ok()) return count.status();
    slices = *count;
  }
  std::string_view box = stripped.substr(0, star);
  const bool twisted = take_suffix(box, kTwistedSuffix);
  if (!twisted) take_suffix(box, kUntwistedSuffix);
  const std::optional<std::vector<int64_t>> shape = parse_box(box);
  if (!shape || !box_size(*shape)) {
    return bad_topology(device, text,
                        has_torus(device) ? absl::StrCat("expected chips along each axis, such as ",
                                                         print_box(device.ici.slices.back()))
                                          : std::string("expected a number of devices, such as 16"));
  }
  if (!has_torus(device)) {
    if (box.size() != stripped.substr(0, star).size()) return bad_topology(device, text, "it has no torus to twist");
    return domain_topology(device, text, *shape, slices);
  }
  absl::StatusOr<Topology> topology = torus_topology(device, text, *shape, slices.value_or(1));
  if (!topology.ok() || !twisted) return topology;
  if (!can_twist(device, topology->shape)) {
    return bad_topology(device, text,
                        device.ici.wrap == WrapRule::kWholeCubes
                            ? absl::StrCat("twisted slices are k x k x 2k or k x 2k x 2k chips with k a multiple of ",
                                           device.ici.cube_edge)
                            : std::string("no optical switches join its cubes, so it has no twisted slices"));
  }
  topology->twisted = true;
  return topology;
}

}  // namespace hloroof::inline v0
