// Infers the axes of a mesh from the groups of all collectives of a module.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/grid.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/saturating.h"

namespace hloroof::internal::inline analysis {

namespace {

// Builds the axes of a mesh from groups of devices. The axes of a mesh of N devices correspond to a chain 1 | c1 | c2 |
// ... | N of strides, each of which divides the next. Consecutive strides s and s * n define an axis of size n and
// stride s. Each grid of groups adds its strides to the chain. A grid whose strides do not divide those of the chain
// does not belong to the same mesh.
class MeshBuilder {
 public:
  explicit MeshBuilder(std::int64_t device_count);

  // Adds the strides of a grid. Returns false without adding any if they do not fit into the chain.
  bool add(const Grid& grid);

  // The axes without names, outermost first.
  std::vector<MeshAxis> axes() const;

 private:
  std::int64_t device_count_;
  std::set<std::int64_t> strides_;
};

// The evidence of one set of groups for mesh axes, with the bytes of its collectives.
struct Evidence {
  Grid within;
  Grid across;
  double bytes = 0;
  const Collective* permutation = nullptr;  // the permutation whose chains and cycles these are, or null
};

std::vector<Evidence> gather_evidence(const std::vector<Collective>& collectives) {
  std::vector<Evidence> all;
  for (const Collective& collective : collectives) {
    const DeviceGroups& groups = collective.groups;
    if (!groups.regular || collective.slices > 0) continue;
    const Collective* permutation = collective.kind == CollectiveKind::kCollectivePermute ? &collective : nullptr;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Evidence& e) {
      return e.within == groups.within && e.across == groups.across &&
             (permutation ? e.permutation && e.permutation->pairs == permutation->pairs : !e.permutation);
    });
    if (same != all.end()) {
      same->bytes += collective.bytes;
    } else {
      all.push_back({groups.within, groups.across, collective.bytes, permutation});
    }
  }
  // Groups precede permutations, and more bytes precede fewer bytes, so that conflicting evidence with few bytes loses.
  std::stable_sort(all.begin(), all.end(), [](const Evidence& a, const Evidence& b) {
    return !a.permutation != !b.permutation ? !a.permutation : a.bytes > b.bytes;
  });
  return all;
}

// Whether the permutation shifts every device by the same number of steps along one axis, with or without wrapping. A
// shift by two connects every second device, which does not imply an axis of half the size.
bool shifts_along_an_axis(const std::vector<MeshAxis>& axes, const Collective& permutation, std::int64_t device_count) {
  const MeshAxis* along = nullptr;
  std::int64_t steps = 0;
  for (const auto& [source, target] : permutation.pairs) {
    for (const MeshAxis& axis : axes) {
      const std::int64_t from = source / axis.stride % axis.size;
      const std::int64_t to = target / axis.stride % axis.size;
      if (from == to) continue;
      const std::int64_t moved = to > from ? to - from : to - from + axis.size;
      if (along != nullptr && (along != &axis || moved != steps)) return false;
      along = &axis;
      steps = moved;
    }
  }
  if (along == nullptr) return true;
  const std::int64_t pairs = static_cast<std::int64_t>(permutation.pairs.size());
  const std::int64_t lines = device_count / along->size;
  return pairs == device_count || pairs == lines * (along->size - steps) || pairs == lines * steps;
}

std::int64_t largest_id(const Grid& within, const Grid& across) {
  std::int64_t last = 0;
  for (const Grid* grid : {&within, &across}) {
    for (const GridAxis& axis : *grid) {
      last = saturating_add(last, saturating_multiply(axis.size - 1, axis.stride));
    }
  }
  return last;
}

// The device count of the header, which is that of one slice. Without a header, as for a line from a profile, the count
// that the ids imply.
std::int64_t count_devices(const Module& module, const std::vector<Collective>& collectives) {
  std::int64_t count = saturating_multiply(std::max<std::int64_t>(module.replica_count(), 1),
                                           std::max<std::int64_t>(module.num_partitions(), 1));
  for (const Collective& collective : collectives) {
    if (collective.slices > 0) continue;
    count = std::max(count, saturating_add(largest_id(collective.groups.within, collective.groups.across), 1));
    for (const std::vector<std::int64_t>& group : collective.groups.members) {
      for (const std::int64_t id : group) count = std::max(count, saturating_add(id, 1));
    }
    for (const auto& [source, target] : collective.pairs) {
      count = std::max({count, saturating_add(source, 1), saturating_add(target, 1)});
    }
  }
  return std::min(count, std::numeric_limits<std::int64_t>::max() / 2);
}

void name_axes(LogicalMesh& mesh, const std::vector<Collective>& collectives) {
  for (const Collective& collective : collectives) {
    for (const auto& [name, axis] : collective.groups.named_axes) {
      for (MeshAxis& target : mesh.axes) {
        if (target.named_in_text || target.size != axis.size || target.stride != axis.stride) continue;
        target.name = name;
        target.named_in_text = true;
      }
    }
  }
  describe_unnamed_axes(mesh.axes);
}

// Finds the collectives whose groups do not match the final axes of the mesh.
void find_unaligned(const std::vector<Collective>& collectives, LogicalMesh& mesh) {
  const auto is_aligned = [&mesh](const DeviceGroups& groups) {
    return groups.regular && (groups.group_size <= 1 || !spanned_axes(mesh, groups).empty());
  };
  // Most modules have few different groups. The limit keeps the search linear in those that have many.
  constexpr std::size_t kMostKnown = 16;
  std::vector<std::pair<const DeviceGroups*, bool>> known;
  for (const Collective& collective : collectives) {
    if (collective.slices > 0) continue;  // the network is the same for all slices
    if (collective.kind == CollectiveKind::kCollectivePermute) continue;
    const DeviceGroups& groups = collective.groups;
    const auto same = std::find_if(known.begin(), known.end(), [&groups](const auto& one) {
      return one.first->regular == groups.regular && one.first->group_size == groups.group_size &&
             one.first->within == groups.within;
    });
    const bool aligned = same != known.end() ? same->second : is_aligned(groups);
    if (same == known.end() && known.size() < kMostKnown) known.emplace_back(&groups, aligned);
    if (!aligned) mesh.unaligned.push_back(collective.instruction);
  }
  if (!mesh.unaligned.empty()) {
    mesh.notes.push_back(absl::StrCat(mesh.unaligned.size(),
                                      mesh.unaligned.size() == 1 ? " collective" : " collectives",
                                      " with groups that do not match the mesh: costed for arbitrary positions"));
  }
}

}  // namespace

std::string_view axis_role_name(AxisRole role) {
  switch (role) {
    case AxisRole::kUnknown: return "unknown";
    case AxisRole::kData: return "data";
    case AxisRole::kFsdp: return "FSDP";
    case AxisRole::kTensor: return "tensor";
    case AxisRole::kExpert: return "expert";
    case AxisRole::kSequence: return "sequence";
    case AxisRole::kPipeline: return "pipeline";
  }
  return "";
}

MeshBuilder::MeshBuilder(std::int64_t device_count) : device_count_(device_count), strides_({1, device_count}) {}

bool MeshBuilder::add(const Grid& grid) {
  std::set<std::int64_t> strides = strides_;
  for (const GridAxis& axis : grid) {
    if (axis.size <= 1) continue;
    strides.insert(axis.stride);
    strides.insert(saturating_multiply(axis.stride, axis.size));
  }
  if (*strides.begin() < 1 || *strides.rbegin() > device_count_) return false;
  std::int64_t previous = 1;
  for (const std::int64_t stride : strides) {
    if (stride % previous != 0) return false;
    previous = stride;
  }
  strides_ = std::move(strides);
  return true;
}

std::vector<MeshAxis> MeshBuilder::axes() const {
  std::vector<MeshAxis> axes;
  std::int64_t outer = 0;
  for (auto it = strides_.rbegin(); it != strides_.rend(); ++it) {
    if (outer != 0) {
      MeshAxis axis;
      axis.size = outer / *it;
      axis.stride = *it;
      axes.push_back(std::move(axis));
    }
    outer = *it;
  }
  return axes;
}

namespace {

// The part of a grid of devices that counts slices of `devices` devices.
Grid slices_in(const Grid& grid, std::int64_t devices) {
  Grid slices;
  for (const GridAxis& axis : grid) {
    const std::int64_t first = std::max(axis.stride, devices);
    const std::int64_t end = saturating_multiply(axis.stride, axis.size);
    if (end > first && first % devices == 0 && end % first == 0) slices.push_back({end / first, first / devices});
  }
  return slices;
}

// Adds the axes between the slices to the mesh of one slice.
void add_slices(const std::vector<Collective>& collectives, LogicalMesh& mesh) {
  for (const Collective& collective : collectives) mesh.slices = std::max(mesh.slices, collective.slices);
  if (mesh.slices <= 1) return;
  const std::int64_t devices = mesh.device_count;
  MeshBuilder builder(mesh.slices);
  for (const Collective& collective : collectives) {
    if (collective.slices == 0 || !collective.groups.regular || is_permutation(collective)) continue;
    const Grid within = slices_in(collective.groups.within, devices);
    Grid all = within;
    for (const GridAxis& axis : slices_in(collective.groups.across, devices)) all.push_back(axis);
    if (!builder.add(all)) builder.add(within);
  }
  std::vector<MeshAxis> axes = builder.axes();
  for (MeshAxis& axis : axes) {
    axis.stride = saturating_multiply(axis.stride, devices);
    // Axes between slices may have the size of an axis inside them, so several are told apart by their strides.
    axis.name = axes.size() == 1 ? std::string(kSlicesAxis) : description_of_axis(axis.size, axis.stride);
  }
  mesh.axes.insert(mesh.axes.begin(), axes.begin(), axes.end());
  mesh.device_count = std::min(saturating_multiply(devices, mesh.slices), std::numeric_limits<std::int64_t>::max() / 2);
}

// The mesh of one slice with named axes, without roles.
LogicalMesh named_mesh(const Module& module, const std::vector<Collective>& collectives) {
  LogicalMesh mesh;
  mesh.device_count = count_devices(module, collectives);
  MeshBuilder builder(mesh.device_count);
  for (const Collective& collective : collectives) {
    if (collective.groups.named_axes.empty()) continue;
    Grid named;
    for (const auto& [name, axis] : collective.groups.named_axes) named.push_back(axis);
    builder.add(named);
  }
  for (const Evidence& evidence : gather_evidence(collectives)) {
    Grid all = evidence.within;
    all.insert(all.end(), evidence.across.begin(), evidence.across.end());
    if (evidence.permutation != nullptr) {
      // Only an even shift along an axis is evidence for an axis. Other permutations change between two shardings.
      if (shifts_along_an_axis(builder.axes(), *evidence.permutation, mesh.device_count)) continue;
      MeshBuilder finer = builder;
      if (!finer.add(all) || !shifts_along_an_axis(finer.axes(), *evidence.permutation, mesh.device_count)) continue;
      builder = finer;
      continue;
    }
    // Groups may omit devices. Then use only the strides within the groups.
    if (!builder.add(all)) builder.add(evidence.within);
  }
  mesh.axes = builder.axes();
  name_axes(mesh, collectives);
  return mesh;
}

}  // namespace

void copy_to_slices(std::int64_t slices, LogicalMesh& mesh) {
  MeshAxis axis;
  axis.name = kSlicesAxis;
  axis.size = slices;
  axis.stride = mesh.device_count;
  mesh.axes.insert(mesh.axes.begin(), std::move(axis));
  mesh.slices = slices;
  mesh.device_count =
      std::min(saturating_multiply(mesh.device_count, slices), std::numeric_limits<std::int64_t>::max() / 2);
}

LogicalMesh infer_axes(const Module& module, const std::vector<Collective>& collectives) {
  LogicalMesh mesh = named_mesh(module, collectives);
  add_slices(collectives, mesh);
  find_unaligned(collectives, mesh);
  return mesh;
}

absl::StatusOr<LogicalMesh> override_axes(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes,
                                          const std::vector<Collective>& collectives) {
  absl::StatusOr<LogicalMesh> given = override_mesh(mesh, axes);
  if (!given.ok()) return given;
  given->unaligned.clear();
  find_unaligned(collectives, *given);
  return given;
}

LogicalMesh infer_mesh(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives) {
  LogicalMesh mesh = infer_axes(module, collectives);
  assign_roles(module, calls, collectives, mesh);
  return mesh;
}

}  // namespace hloroof::internal::inline analysis

namespace hloroof::inline v0 {
using namespace internal;

std::vector<int> spanned_axes(const LogicalMesh& mesh, const DeviceGroups& groups) {
  std::vector<int> axes;
  if (!groups.regular) return axes;
  std::int64_t devices = 1;
  for (int i = 0; i < static_cast<int>(mesh.axes.size()); ++i) {
    const MeshAxis& axis = mesh.axes[i];
    const bool inside = std::any_of(groups.within.begin(), groups.within.end(), [&](GridAxis g) {
      return axis.stride >= g.stride && axis.stride / g.stride < g.size && axis.stride % g.stride == 0 &&
             axis.size <= g.size / (axis.stride / g.stride);
    });
    if (!inside) continue;
    axes.push_back(i);
    devices = saturating_multiply(devices, axis.size);
  }
  if (devices != groups.group_size) axes.clear();
  return axes;
}

LogicalMesh infer_mesh(const Module& module, const std::vector<Collective>& collectives) {
  return internal::infer_mesh(module, analyze_calls(module), collectives);
}

std::string LogicalMesh::to_string() const {
  std::string text;
  for (const MeshAxis& axis : axes) {
    absl::StrAppend(&text, text.empty() ? "" : " x ");
    if (is_description_of_axis(axis.name)) {
      absl::StrAppend(&text, axis_with_stride(axis));
    } else {
      absl::StrAppend(&text, axis.name, " ", axis.size, " (stride ", axis.stride, ")");
    }
  }
  return text.empty() ? "1 device" : text;
}

}  // namespace hloroof::inline v0
