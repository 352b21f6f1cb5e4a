// The sharding={...} attribute: how a value is distributed over devices.
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
    kReplicated,  // every device holds the whole value
    kMaximal,     // one device holds the whole value
    kManual,      // partitioned by the program
    kUnknown,     // to be chosen by the compiler
    kUnreduced,   // every device holds a partial result
    kTiled,       // devices=[...]
    kNamed,       // mesh[...], [...]: by mesh axes
  };
  // The sharding along a dimension of the assignment that does not partition an array dimension.
  enum class Subgroup : std::uint8_t { kReplicated, kManual, kUnreduced, kMaximal };
  enum class Reduction : std::uint8_t { kSum, kMax, kMin };

  Kind kind = Kind::kReplicated;
  std::int64_t device = 0;  // for kMaximal

  // kTiled: the shape of the device assignment. Its last subgroups.size() dimensions do not partition the array. The
  // device at row-major position p is devices[p] if devices are listed, or else order[p].
  std::vector<std::int64_t> tile_dimensions;
  std::vector<Subgroup> subgroups;
  std::vector<std::int64_t> devices;
  IotaOrder order;

  // kNamed: the axes that partition each dimension, major first. The value is replicated over all other axes. If `open`
  // is set, the compiler may add axes.
  struct DimensionAxes {
    std::vector<MeshAxisReference> axes;
    bool open = false;
  };
  Mesh mesh;
  std::vector<DimensionAxes> dimension_axes;
  std::vector<MeshAxisReference> replicated_axes;
  std::vector<MeshAxisReference> unreduced_axes;
  std::vector<MeshAxisReference> manual_axes;
  Reduction reduction = Reduction::kSum;  // for unreduced values

  // shard_as N, shard_like N: values with the same group must have the same sharding.
  enum class Group : std::uint8_t { kNone, kAs, kLike };
  Group group = Group::kNone;
  std::int64_t group_id = 0;

  std::vector<Metadata> metadata;

  // The number of shards along `dimension`; 1 if it is not partitioned.
  std::int64_t shards_of_dimension(std::size_t dimension) const;
  // The number of devices of the assignment; 1 for kMaximal, 0 if it does not name devices.
  std::int64_t device_count() const;
  // The devices in row-major order over the shards and, within a shard, over its replicas. Errors: ResourceExhausted
  // beyond `limit` devices.
  absl::StatusOr<std::vector<std::int64_t>> device_list(std::int64_t limit = ReplicaGroups::kDefaultLimit) const;
};

// The sharding of an array, or one sharding per array of a tuple in depth-first order. A single sharding on a tuple
// applies to all its arrays.
struct ShardingAttribute {
  bool is_tuple = false;
  std::vector<Sharding> elements;
};

std::optional<ShardingAttribute> sharding(InstructionView instruction);
absl::StatusOr<ShardingAttribute> parse_sharding(std::string_view text);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_SHARDING_H_
