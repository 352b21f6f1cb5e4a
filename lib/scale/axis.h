// The mesh axis that gets another size.
#ifndef HLOROOF_LIB_SCALE_AXIS_H_
#define HLOROOF_LIB_SCALE_AXIS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/attributes.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

// Devices have ids that are row-major over the axes of the mesh, before and after.
class ScaledAxis {
 public:
  // Finds the axis that `name` names: by the name that reports show, by its only role ("data" is also the name of an
  // FSDP axis if no axis is only data), or by its index from the outermost. Errors: InvalidArgument with the axes if
  // there is no such axis or several, or if the program runs on several slices, or both as replicas and partitions.
  static absl::StatusOr<ScaledAxis> find(const Module& module, std::string_view name, std::int64_t size);

  const std::string& name() const { return mesh_.axes[axis_].name; }
  std::int64_t from() const { return mesh_.axes[axis_].size; }
  std::int64_t to() const { return to_; }
  std::int64_t devices() const { return mesh_.device_count; }
  std::int64_t new_devices() const { return mesh_.device_count / from() * to_; }
  bool is_only_axis() const { return mesh_.axes.size() == 1; }
  bool has_unique_size() const;
  // Whether weights are gathered along it, or gradients reduced, and nothing else, so far as the collectives show.
  // With `rings`, also where the program itself passes blocks round a ring.
  bool is_data_parallel(bool rings) const;

  // Whether the groups of a collective span the axis. Errors: InvalidArgument at the collective if its groups do not
  // match the mesh.
  absl::StatusOr<bool> is_spanned_by(InstructionView collective) const;
  // The attribute replica_groups or source_target_pairs on the new mesh. Errors: those of is_spanned_by();
  // InvalidArgument at a permutation that is no shift along the axis; see shift_of().
  absl::StatusOr<std::string> new_groups(InstructionView collective) const;
  absl::StatusOr<std::string> new_pairs(InstructionView permute) const;

  // By how many places a permutation passes blocks along the axis, in either direction; 0 if it does not. Errors:
  // InvalidArgument at the permutation if it does not pass all blocks as far, or where a shift of that many places and
  // one by half of the axis are the same.
  absl::StatusOr<std::int64_t> shift_of(InstructionView permute) const;

  // Whether it also passes a block from one end of the axis to the other. Errors: as of shift_of().
  absl::StatusOr<bool> wraps(InstructionView permute) const;

  // A table with a number for each device, continued for the new ones. nullopt if it is no sum of a number for each
  // place on each axis that grows by the same step along this axis.
  std::optional<std::vector<std::int64_t>> new_table(const std::vector<std::int64_t>& numbers) const;

  // For each dimension of a sharded array, whether its shards lie along the axis. nullopt if the shards do not match
  // the mesh.
  std::optional<std::vector<bool>> shards(const Sharding& sharding, std::size_t rank) const;
  // The sharding on the new mesh; nullopt as for shards().
  std::optional<std::string> new_sharding(const Sharding& sharding, std::size_t rank) const;

 private:
  // The pairs of a permutation as one shift along the axis, for each pair of its other coordinates.
  struct Shift {
    std::int64_t places = 0;
    bool wraps = false;                                          // from one end of the axis to the other
    std::vector<std::pair<std::int64_t, std::int64_t>> at_zero;  // source and target, both moved to place 0
  };
  absl::StatusOr<Shift> find_shift(InstructionView permute) const;

  absl::StatusOr<std::vector<int>> axes_of(InstructionView collective) const;
  std::vector<std::int64_t> coordinates(std::int64_t device) const;
  std::vector<std::int64_t> new_sizes() const;
  std::optional<std::vector<std::vector<int>>> axes_of_tiles(const Sharding& sharding, std::size_t rank) const;

  LogicalMesh mesh_;
  std::size_t axis_ = 0;
  std::int64_t to_ = 1;
  std::map<std::string, std::vector<int>> axes_of_groups_;  // by the text of replica_groups and its mode
};

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_AXIS_H_
