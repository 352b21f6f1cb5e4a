// How a value is laid out over devices: sharding={...}.
//
//   if (std::optional<ShardingAttribute> s = sharding(parameter)) {
//     s->elements[0].shards_of_dimension(0);   // 4: dimension 0 is cut into four pieces
//   }
#ifndef HLOROOF_SHARDING_H_
#define HLOROOF_SHARDING_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/attribute_values.h"
#include "hloroof/module.h"
#include "hloroof/replica_groups.h"

namespace hloroof {
inline namespace v0 {

// The sharding of one array.
struct Sharding {
  enum class Kind : std::uint8_t {
    kReplicated,  // every device has all of it
    kMaximal,     // one device has all of it
    kManual,      // the program says itself
    kUnknown,     // to be found by the compiler
    kUnreduced,   // every device has a part of a sum
    kTiled,       // devices=[...]
    kNamed,       // mesh[...], [...]: by mesh axes
  };
  // What the devices along a dimension of the assignment that cuts nothing hold.
  enum class Subgroup : std::uint8_t { kReplicated, kManual, kUnreduced, kMaximal };
  enum class Reduction : std::uint8_t { kSum, kMax, kMin };

  Kind kind = Kind::kReplicated;
  std::int64_t device = 0;  // of kMaximal

  // kTiled: the assignment's shape; the last subgroups.size() dimensions cut nothing. The device at row-major position
  // p is devices[p] if devices are listed, else order[p].
  std::vector<std::int64_t> tile_dimensions;
  std::vector<Subgroup> subgroups;
  std::vector<std::int64_t> devices;
  IotaOrder order;

  // kNamed: the axes that cut each dimension, major first; axes named nowhere replicate. `open`: the compiler may add
  // axes.
  struct DimensionAxes {
    std::vector<MeshAxisReference> axes;
    bool open = false;
  };
  Mesh mesh;
  std::vector<DimensionAxes> dimension_axes;
  std::vector<MeshAxisReference> replicated_axes;
  std::vector<MeshAxisReference> unreduced_axes;
  std::vector<MeshAxisReference> manual_axes;
  Reduction reduction = Reduction::kSum;  // of what is unreduced

  // shard_as N, shard_like N: values of one group are to be sharded alike.
  enum class Group : std::uint8_t { kNone, kAs, kLike };
  Group group = Group::kNone;
  std::int64_t group_id = 0;

  std::vector<Metadata> metadata;

  // How many pieces dimension `dimension` is cut into; 1 where it is not.
  std::int64_t shards_of_dimension(std::size_t dimension) const;
  // Devices that the assignment names; 1 of kMaximal, 0 where no devices are named.
  std::int64_t device_count() const;
  // The devices in row-major order over the pieces and, within a piece, over those that hold the same. Errors:
  // ResourceExhausted beyond `limit` devices.
  absl::StatusOr<std::vector<std::int64_t>> device_list(std::int64_t limit = ReplicaGroups::kDefaultLimit) const;
};

// One sharding, or a tuple's: one for each array inside it, depth first. A single one on a tuple holds for all of them.
struct ShardingAttribute {
  bool is_tuple = false;
  std::vector<Sharding> elements;
};

std::optional<ShardingAttribute> sharding(InstructionView instruction);
absl::StatusOr<ShardingAttribute> parse_sharding(std::string_view text);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SHARDING_H_
