#include "lib/analysis/device_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/analysis/grid.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/saturating.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr std::int64_t kMaxListedDevices = 1 << 16;

// Prepends `axis` to a grid unless its size is one.
void add_axis(Grid& grid, GridAxis axis) {
  if (axis.size > 1) grid.insert(grid.begin(), axis);
}

// Converts the strides of a grid of replica or partition ids to strides of device ids.
Grid scaled(Grid grid, std::int64_t factor) {
  for (GridAxis& axis : grid) axis.stride = saturating_multiply(axis.stride, factor);
  return grid;
}

// Converts grids of written ids to grids of devices. Replica r and partition p are device r * partitions + p.
void to_devices(GroupMode mode, std::int64_t replicas, std::int64_t partitions, Grid& within, Grid& across) {
  switch (mode) {
    case GroupMode::kCrossReplica:
      within = scaled(std::move(within), partitions);
      across = scaled(std::move(across), partitions);
      add_axis(across, {partitions, 1});
      break;
    case GroupMode::kCrossPartition: add_axis(across, {replicas, partitions}); break;
    case GroupMode::kCrossReplicaAndPartition:
      within = scaled(std::move(within), partitions);
      across = scaled(std::move(across), partitions);
      add_axis(within, {partitions, 1});
      break;
    case GroupMode::kFlattenedId: break;
  }
}

bool descending(const Grid& grid) {
  return std::is_sorted(grid.begin(), grid.end(), [](GridAxis a, GridAxis b) { return a.stride > b.stride; });
}

void set_grids(DeviceGroups& groups, Grid within, Grid across) {
  groups.within = normalized(std::move(within));
  groups.across = normalized(std::move(across));
  groups.group_size = grid_size(groups.within).value_or(kSaturated);
  groups.group_count = grid_size(groups.across).value_or(kSaturated);
}

// Converts the lists to a grid of groups, if all groups have the same strides and the bases form a grid as well.
std::optional<std::pair<Grid, Grid>> grids_of_lists(std::vector<std::vector<std::int64_t>> lists, bool& in_order) {
  std::vector<std::int64_t> bases;
  std::optional<Grid> within;
  for (std::vector<std::int64_t>& ids : lists) {
    if (!std::is_sorted(ids.begin(), ids.end())) {
      in_order = false;
      std::sort(ids.begin(), ids.end());
    }
    if (ids.size() != lists[0].size() || std::adjacent_find(ids.begin(), ids.end()) != ids.end()) return std::nullopt;
    std::optional<Grid> grid = grid_of(ids);
    if (!grid || (within && *within != *grid)) return std::nullopt;
    within = std::move(grid);
    bases.push_back(ids[0]);
  }
  std::sort(bases.begin(), bases.end());
  if (std::adjacent_find(bases.begin(), bases.end()) != bases.end()) return std::nullopt;
  std::optional<Grid> across = grid_of(bases);
  if (!within || !across) return std::nullopt;
  return std::make_pair(*std::move(across), *std::move(within));
}

// Converts lists of written ids to lists of devices.
std::vector<std::vector<std::int64_t>> device_lists(const std::vector<std::vector<std::int64_t>>& lists, GroupMode mode,
                                                    std::int64_t replicas, std::int64_t partitions) {
  std::int64_t listed = 0;
  for (const std::vector<std::int64_t>& ids : lists) {
    listed = saturating_add(listed, static_cast<std::int64_t>(ids.size()));
  }
  const std::int64_t copies = mode == GroupMode::kFlattenedId      ? 1
                              : mode == GroupMode::kCrossPartition ? replicas
                                                                   : partitions;
  if (saturating_multiply(listed, copies) > kMaxListedDevices) return {};
  std::vector<std::vector<std::int64_t>> devices;
  for (const std::vector<std::int64_t>& ids : lists) {
    if (mode == GroupMode::kCrossReplicaAndPartition) {
      std::vector<std::int64_t> members;
      for (const std::int64_t id : ids) {
        for (std::int64_t p = 0; p < partitions; ++p) {
          members.push_back(saturating_add(saturating_multiply(id, partitions), p));
        }
      }
      devices.push_back(std::move(members));
      continue;
    }
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      std::vector<std::int64_t> members;
      members.reserve(ids.size());
      for (const std::int64_t id : ids) {
        members.push_back(mode == GroupMode::kFlattenedId ? id
                          : mode == GroupMode::kCrossPartition
                              ? saturating_add(saturating_multiply(copy, partitions), id)
                              : saturating_add(saturating_multiply(id, partitions), copy));
      }
      devices.push_back(std::move(members));
    }
  }
  return devices;
}

DeviceGroups groups_of_lists(const std::vector<std::vector<std::int64_t>>& lists, GroupMode mode, std::int64_t replicas,
                             std::int64_t partitions) {
  DeviceGroups groups;
  groups.mode = mode;
  if (std::optional<std::pair<Grid, Grid>> grids = grids_of_lists(lists, groups.in_order)) {
    auto& [across, within] = *grids;
    to_devices(mode, replicas, partitions, within, across);
    set_grids(groups, std::move(within), std::move(across));
    return groups;
  }
  groups.regular = false;
  std::size_t largest = 0;
  for (const std::vector<std::int64_t>& ids : lists) largest = std::max(largest, ids.size());
  const bool together = mode == GroupMode::kCrossReplicaAndPartition;
  groups.group_size = saturating_multiply(static_cast<std::int64_t>(largest), together ? partitions : 1);
  groups.group_count =
      saturating_multiply(static_cast<std::int64_t>(lists.size()), mode == GroupMode::kCrossPartition ? replicas
                                                                   : mode == GroupMode::kCrossReplica ? partitions
                                                                                                      : 1);
  groups.members = device_lists(lists, mode, replicas, partitions);
  return groups;
}

}  // namespace

std::string_view group_mode_name(GroupMode mode) {
  switch (mode) {
    case GroupMode::kCrossReplica: return "cross_replica";
    case GroupMode::kCrossPartition: return "cross_partition";
    case GroupMode::kCrossReplicaAndPartition: return "cross_replica_and_partition";
    case GroupMode::kFlattenedId: return "flattened_id";
  }
  return "";
}

namespace {

DeviceGroups resolve_written(const WrittenGroups& written, GroupMode mode, std::int64_t replicas,
                             std::int64_t partitions) {
  if (!written.lists.empty()) return groups_of_lists(written.lists, mode, replicas, partitions);
  DeviceGroups groups;
  groups.mode = mode;
  Grid within;
  Grid across;
  if (!written.enumerated) {
    groups.all_devices = true;
    const std::int64_t ids = mode == GroupMode::kFlattenedId      ? saturating_multiply(replicas, partitions)
                             : mode == GroupMode::kCrossPartition ? partitions
                                                                  : replicas;
    add_axis(within, {ids, 1});
  } else {
    std::optional<std::pair<Grid, Grid>> grids = split_grid(written.order, written.group_size);
    const std::optional<std::int64_t> size = grid_size(written.order);
    if (!grids) {
      // The group boundaries do not align with an axis. List the groups if they are few.
      groups.regular = false;
      groups.group_size = written.group_size;
      groups.group_count = size && written.group_size > 0 ? *size / written.group_size : 1;
      if (size && *size <= kMaxListedDevices && written.group_size > 0) {
        const std::vector<std::int64_t> ids = expand(written.order, 0);
        std::vector<std::vector<std::int64_t>> lists;
        for (std::size_t i = 0; i < ids.size(); ++i) {
          if (i % static_cast<std::size_t>(written.group_size) == 0) lists.emplace_back();
          lists.back().push_back(ids[i]);
        }
        return groups_of_lists(lists, mode, replicas, partitions);
      }
      return groups;
    }
    across = std::move(grids->first);
    within = std::move(grids->second);
    groups.in_order = descending(within);
  }
  to_devices(mode, replicas, partitions, within, across);
  set_grids(groups, std::move(within), std::move(across));
  return groups;
}

}  // namespace

DeviceGroups resolve_groups(const WrittenGroups& written, GroupMode mode, std::int64_t replica_count,
                            std::int64_t num_partitions) {
  const std::int64_t replicas = std::max<std::int64_t>(replica_count, 1);
  const std::int64_t partitions = std::max<std::int64_t>(num_partitions, 1);
  DeviceGroups groups = resolve_written(written, mode, replicas, partitions);
  groups.named_axes = written.named_axes;
  const bool names_replicas = mode == GroupMode::kCrossReplica || mode == GroupMode::kCrossReplicaAndPartition;
  for (auto& [name, axis] : groups.named_axes) {
    if (names_replicas) axis.stride = saturating_multiply(axis.stride, partitions);
  }
  return groups;
}

DeviceGroups permutation_groups(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
                                std::int64_t device_count) {
  std::map<std::int64_t, std::int64_t> next;
  std::set<std::int64_t> targets;
  for (const auto& [source, target] : pairs) {
    if (source == target || next.count(source) != 0 || targets.count(target) != 0) continue;
    next[source] = target;
    targets.insert(target);
  }
  std::vector<std::vector<std::int64_t>> lists;
  std::set<std::int64_t> done;
  const auto follow = [&](std::int64_t from) {
    std::vector<std::int64_t> chain;
    for (std::int64_t at = from; done.insert(at).second;) {
      chain.push_back(at);
      const auto found = next.find(at);
      if (found == next.end()) break;
      at = found->second;
    }
    if (chain.size() > 1) lists.push_back(std::move(chain));
  };
  for (const auto& [source, target] : next) {  // first chains from their heads, then the remaining cycles
    if (targets.count(source) == 0) follow(source);
  }
  for (const auto& [source, target] : next) {
    if (done.count(source) == 0) follow(source);
  }
  if (lists.empty()) {
    DeviceGroups alone;
    alone.group_count = device_count;
    add_axis(alone.across, {device_count, 1});
    return alone;
  }
  DeviceGroups groups = groups_of_lists(lists, GroupMode::kFlattenedId, 1, device_count);
  return groups;
}

}  // namespace hloroof::internal::inline analysis
