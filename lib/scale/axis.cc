#include "lib/scale/axis.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/analysis/mesh.h"
#include "lib/base/strings.h"
#include "lib/scale/placed_error.h"

namespace hloroof::internal::inline scale {
namespace {

// What decides which devices the groups of a collective have.
std::string groups_key(InstructionView collective) {
  return absl::StrCat(to_absl(collective.text(AttributeKey::kReplicaGroups)), "|",
                      collective.has(AttributeKey::kChannelId) ? "c" : "",
                      to_absl(collective.text(AttributeKey::kUseGlobalDeviceIds)));
}

std::string axes_text(const LogicalMesh& mesh) {
  if (mesh.axes.empty()) return "It has no collectives between devices, so no axis is known";
  std::string text = "Its axes:";
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    const MeshAxis& axis = mesh.axes[i];
    absl::StrAppend(&text, i == 0 ? " " : ", ", i, " ", axis.name, "=", axis.size);
    if (axis.roles.size() == 1) absl::StrAppend(&text, " (", to_absl(axis_role_name(axis.roles[0])), ")");
  }
  return text;
}

bool has_role(const MeshAxis& axis, std::string_view name) {
  return axis.roles.size() == 1 && absl::AsciiStrToLower(to_absl(axis_role_name(axis.roles[0]))) == name;
}

absl::StatusOr<std::size_t> find_index(const LogicalMesh& mesh, std::string_view name) {
  const auto only = [&](auto matches) -> std::optional<std::size_t> {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
      if (!matches(mesh.axes[i])) continue;
      if (found) return std::nullopt;
      found = i;
    }
    return found;
  };
  if (const auto i = only([&](const MeshAxis& axis) { return axis.name == name; })) return *i;
  const std::string role = absl::AsciiStrToLower(to_absl(name));
  if (const auto i = only([&](const MeshAxis& axis) { return has_role(axis, role); })) return *i;
  if (role == "data") {
    if (const auto i = only([&](const MeshAxis& axis) { return has_role(axis, "fsdp"); })) return *i;
  }
  std::size_t index = 0;
  if (absl::SimpleAtoi(to_absl(name), &index) && index < mesh.axes.size()) return index;
  return invalid_argument(
      absl::StrCat("the program has no axis \"", to_absl(name), "\", or several. ", axes_text(mesh)));
}

}  // namespace

absl::StatusOr<ScaledAxis> ScaledAxis::find(const Module& module, std::string_view name, std::int64_t size) {
  ScaledAxis result;
  const std::vector<Collective> collectives = find_collectives(module);
  result.mesh_ = infer_mesh(module, collectives);
  if (result.mesh_.slices > 1) {
    return invalid_argument("the program runs on several slices; only those of one slice can be scaled along an axis");
  }
  if (module.replica_count() > 1 && module.num_partitions() > 1) {
    return invalid_argument("the program has replicas and partitions; only those with one of them can be scaled");
  }
  const absl::StatusOr<std::size_t> index = find_index(result.mesh_, name);
  if (!index.ok()) return index.status();
  result.axis_ = *index;
  result.to_ = size;
  if (size < 2) return invalid_argument(absl::StrCat("axis ", to_absl(name), " must keep at least 2 devices"));
  for (const Collective& collective : collectives) {
    const InstructionView instruction = module.instruction(collective.instruction);
    if (!collective.pairs.empty() || collective.groups.all_devices) continue;
    if (collective.groups.group_size == 1) continue;
    const std::vector<int> axes = spanned_axes(result.mesh_, collective.groups);
    if (!axes.empty()) result.axes_of_groups_.emplace(groups_key(instruction), axes);
  }
  return result;
}

bool ScaledAxis::has_unique_size() const {
  return std::count_if(mesh_.axes.begin(), mesh_.axes.end(),
                       [&](const MeshAxis& axis) { return axis.size == from(); }) == 1;
}

bool ScaledAxis::is_data_parallel(bool rings) const {
  const std::vector<AxisRole>& roles = mesh_.axes[axis_].roles;
  return !roles.empty() && std::all_of(roles.begin(), roles.end(), [rings](AxisRole role) {
    return role == AxisRole::kFsdp || role == AxisRole::kData || (rings && role == AxisRole::kSequence);
  });
}

absl::StatusOr<std::vector<int>> ScaledAxis::axes_of(InstructionView collective) const {
  const std::optional<ReplicaGroups> groups = replica_groups(collective);
  std::vector<int> all(mesh_.axes.size());
  std::iota(all.begin(), all.end(), 0);
  if (!groups || groups->group_count() == 0) return all;
  if (groups->group_size() == 1) return std::vector<int>{};
  const auto found = axes_of_groups_.find(groups_key(collective));
  if (found == axes_of_groups_.end()) {
    return placed_error(collective, "its groups are no axes of the mesh, so those of the new mesh are not known");
  }
  return found->second;
}

absl::StatusOr<bool> ScaledAxis::is_spanned_by(InstructionView collective) const {
  const absl::StatusOr<std::vector<int>> axes = axes_of(collective);
  if (!axes.ok()) return axes.status();
  return std::find(axes->begin(), axes->end(), static_cast<int>(axis_)) != axes->end();
}

std::vector<std::int64_t> ScaledAxis::new_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const MeshAxis& axis : mesh_.axes) sizes.push_back(axis.size);
  sizes[axis_] = to_;
  return sizes;
}

std::vector<std::int64_t> ScaledAxis::coordinates(std::int64_t device) const {
  std::vector<std::int64_t> result;
  for (const MeshAxis& axis : mesh_.axes) result.push_back(device / axis.stride % axis.size);
  return result;
}

// "[sizes]T(order)", or the number of devices alone if the order is that of the ids.
static std::string iota_text(const std::vector<std::int64_t>& sizes, const std::vector<int>& order) {
  if (std::is_sorted(order.begin(), order.end())) {
    std::int64_t count = 1;
    for (std::int64_t size : sizes) count *= size;
    return absl::StrCat("[", count, "]");
  }
  return absl::StrCat("[", absl::StrJoin(sizes, ","), "]T(", absl::StrJoin(order, ","), ")");
}

absl::StatusOr<std::string> ScaledAxis::new_groups(InstructionView collective) const {
  const absl::StatusOr<std::vector<int>> axes = axes_of(collective);
  if (!axes.ok()) return axes.status();
  const std::vector<std::int64_t> sizes = new_sizes();
  std::vector<int> order;
  std::int64_t count = 1;
  std::int64_t members = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::find(axes->begin(), axes->end(), static_cast<int>(i)) != axes->end()) continue;
    order.push_back(static_cast<int>(i));
    count *= sizes[i];
  }
  for (int i : *axes) {
    order.push_back(i);
    members *= sizes[static_cast<std::size_t>(i)];
  }
  return absl::StrCat("[", count, ",", members, "]<=", iota_text(sizes, order));
}

absl::StatusOr<ScaledAxis::Shift> ScaledAxis::find_shift(InstructionView permute) const {
  const std::int64_t stride = mesh_.axes[axis_].stride;
  const auto place_of = [&](std::int64_t device) { return device / stride % from(); };
  Shift shift;
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> places;  // of the sources
  std::optional<std::int64_t> apart;
  std::set<std::int64_t> differences;
  for (const auto& [source, target] : source_target_pairs(permute)) {
    const std::int64_t here = place_of(source);
    const std::int64_t there = place_of(target);
    const std::int64_t modulo = (there - here + from()) % from();
    if (apart.value_or(modulo) != modulo)
      return placed_error(permute, "it passes blocks along the axis, not all as far");
    apart = modulo;
    differences.insert(there - here);
    const std::pair<std::int64_t, std::int64_t> at_zero(source - here * stride, target - there * stride);
    if (places[at_zero].empty()) shift.at_zero.push_back(at_zero);
    places[at_zero].insert(here);
  }
  if (!apart) return shift;
  const bool is_whole = std::all_of(places.begin(), places.end(), [&](const auto& group) {
    return static_cast<std::int64_t>(group.second.size()) == from();
  });
  shift.wraps = is_whole;
  shift.places = is_whole && 2 * *apart > from() ? *apart - from() : *apart;
  if (!is_whole) shift.places = *differences.begin();
  const std::int64_t first = std::max<std::int64_t>(0, -shift.places);
  const std::int64_t count = from() - std::abs(shift.places);
  const bool is_open =
      !is_whole && shift.places != 0 && differences.size() == 1 &&
      std::all_of(places.begin(), places.end(), [&](const auto& group) {
        return static_cast<std::int64_t>(group.second.size()) == count && *group.second.begin() == first;
      });
  if (!is_whole && !is_open) return placed_error(permute, "its pairs differ from place to place on the axis");
  const bool may_be_half = 2 * std::abs(shift.places) == from() && (is_whole || from() > 2);
  if (may_be_half) {
    return placed_error(permute, "it passes blocks half of the axis, which may be as far or half of the other size");
  }
  if (std::abs(shift.places) >= to_) return placed_error(permute, "it passes blocks farther than the other size has");
  return shift;
}

absl::StatusOr<std::int64_t> ScaledAxis::shift_of(InstructionView permute) const {
  const absl::StatusOr<Shift> shift = find_shift(permute);
  if (!shift.ok()) return shift.status();
  return shift->places;
}

absl::StatusOr<bool> ScaledAxis::wraps(InstructionView permute) const {
  const absl::StatusOr<Shift> shift = find_shift(permute);
  if (!shift.ok()) return shift.status();
  return shift->wraps;
}

absl::StatusOr<std::string> ScaledAxis::new_pairs(InstructionView permute) const {
  const absl::StatusOr<Shift> shift = find_shift(permute);
  if (!shift.ok()) return shift.status();
  const std::int64_t stride = mesh_.axes[axis_].stride;
  const auto moved = [&](std::int64_t device, std::int64_t place) {
    return device / (stride * from()) * (stride * to_) + place * stride + device % stride;
  };
  std::vector<std::string> texts;
  for (std::int64_t place = 0; place < to_; ++place) {
    const std::int64_t there = place + shift->places;
    if (!shift->wraps && (there < 0 || there >= to_)) continue;
    for (const auto& [source, target] : shift->at_zero) {
      texts.push_back(absl::StrCat("{", moved(source, place), ",", moved(target, (there + to_) % to_), "}"));
    }
  }
  return absl::StrCat("{", absl::StrJoin(texts, ","), "}");
}

std::optional<std::vector<std::int64_t>> ScaledAxis::new_table(const std::vector<std::int64_t>& numbers) const {
  if (static_cast<std::int64_t>(numbers.size()) != devices()) return std::nullopt;
  const std::int64_t stride = mesh_.axes[axis_].stride;
  const auto at = [&](std::int64_t device) { return numbers[static_cast<std::size_t>(device)]; };
  const std::int64_t step = at(stride) - at(0);
  for (std::int64_t device = 0; device < devices(); ++device) {
    const std::int64_t place = device / stride % from();
    if (at(device) != at(device - place * stride) + place * step) return std::nullopt;
  }
  std::vector<std::int64_t> result;
  for (std::int64_t device = 0; device < new_devices(); ++device) {
    const std::int64_t place = device / stride % to_;
    const std::int64_t base = device / (stride * to_) * (stride * from()) + device % stride;
    result.push_back(at(base) + place * step);
  }
  return result;
}

// The axes that each dimension of the assignment of devices to shards lies along; the last is that of replicas.
std::optional<std::vector<std::vector<int>>> ScaledAxis::axes_of_tiles(const Sharding& sharding,
                                                                       std::size_t rank) const {
  std::vector<std::vector<int>> result(rank + 1);
  if (sharding.kind == Sharding::Kind::kReplicated) {
    for (std::size_t i = 0; i < mesh_.axes.size(); ++i) result[rank].push_back(static_cast<int>(i));
    return result;
  }
  if (sharding.kind != Sharding::Kind::kTiled && sharding.kind != Sharding::Kind::kNamed) return std::nullopt;
  const absl::StatusOr<std::vector<std::int64_t>> devices = sharding.device_list();
  if (!devices.ok() || static_cast<std::int64_t>(devices->size()) != mesh_.device_count) return std::nullopt;
  std::vector<std::int64_t> sizes;
  std::int64_t shards = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    sizes.push_back(sharding.shards_of_dimension(d));
    shards *= sizes.back();
  }
  if (shards == 0 || mesh_.device_count % shards != 0) return std::nullopt;
  sizes.push_back(mesh_.device_count / shards);
  std::int64_t stride = mesh_.device_count;
  for (std::size_t d = 0; d <= rank; ++d) {
    stride /= sizes[d];
    const std::vector<std::int64_t> base = coordinates((*devices)[0]);
    std::vector<bool> varies(mesh_.axes.size(), false);
    for (std::int64_t i = 0; i < sizes[d]; ++i) {
      const std::vector<std::int64_t> place = coordinates((*devices)[static_cast<std::size_t>(i * stride)]);
      for (std::size_t a = 0; a < place.size(); ++a) varies[a] = varies[a] || place[a] != base[a];
    }
    std::int64_t product = 1;
    for (std::size_t a = 0; a < varies.size(); ++a) {
      if (!varies[a]) continue;
      result[d].push_back(static_cast<int>(a));
      product *= mesh_.axes[a].size;
    }
    if (product != sizes[d]) return std::nullopt;
  }
  return result;
}

std::optional<std::vector<bool>> ScaledAxis::shards(const Sharding& sharding, std::size_t rank) const {
  const auto axes = axes_of_tiles(sharding, rank);
  if (!axes) return std::nullopt;
  std::vector<bool> result(rank, false);
  for (std::size_t d = 0; d < rank; ++d) {
    result[d] = std::find((*axes)[d].begin(), (*axes)[d].end(), static_cast<int>(axis_)) != (*axes)[d].end();
  }
  return result;
}

std::optional<std::string> ScaledAxis::new_sharding(const Sharding& sharding, std::size_t rank) const {
  if (sharding.kind == Sharding::Kind::kReplicated) return "{replicated}";
  const auto axes = axes_of_tiles(sharding, rank);
  if (!axes) return std::nullopt;
  const std::vector<std::int64_t> sizes = new_sizes();
  std::vector<std::int64_t> tiles;
  std::vector<int> order;
  for (std::size_t d = 0; d <= rank; ++d) {
    std::int64_t product = 1;
    for (int a : (*axes)[d]) {
      product *= sizes[static_cast<std::size_t>(a)];
      order.push_back(a);
    }
    if (d < rank || product > 1) tiles.push_back(product);
  }
  return absl::StrCat("{devices=[", absl::StrJoin(tiles, ","), "]<=", iota_text(sizes, order),
                      tiles.size() > rank ? " last_tile_dim_replicate}" : "}");
}

}  // namespace hloroof::internal::inline scale
