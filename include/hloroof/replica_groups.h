// replica_groups, kept as compactly as the text writes them, and source_target_pairs.
//
//   if (std::optional<ReplicaGroups> g = replica_groups(all_reduce)) {
//     g->group_count();                                                       // 4
//     g->for_each_group([](Span<std::int64_t> ids) { use(ids); return true; });  // 0,4  1,5  2,6  3,7
//   }
#ifndef HLOROOF_REPLICA_GROUPS_H_
#define HLOROOF_REPLICA_GROUPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/span.h"

namespace hloroof {
inline namespace v0 {

// A permutation of the ids 0 .. product-1: they are laid out row-major over `dimensions`, transposed by `permutation`
// and read row-major again. `<=[2,4]T(1,0)` of the text. One dimension and permutation {0}: the ids in order.
struct IotaOrder {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> permutation;

  std::int64_t size() const;  // product of the dimensions, which the reader has checked against overflow
  std::int64_t operator[](std::int64_t position) const;

  friend bool operator==(const IotaOrder& a, const IotaOrder& b) {
    return a.dimensions == b.dimensions && a.permutation == b.permutation;
  }
};

// mesh['x'=2,'y'=4], device_ids=(...): devices on named axes, row-major.
struct Mesh {
  struct Axis {
    std::string name;
    std::int64_t size = 1;
  };
  std::vector<Axis> axes;
  std::vector<std::int64_t> device_ids;        // as listed; empty: `order` gives them
  IotaOrder order;                             // of device_ids=([4,16]T(1,0)); empty: the ids are in order
  std::optional<std::int64_t> maximal_device;  // of maximal_mesh[device_id=N]: one device and no axes

  std::int64_t device_count() const;
  std::int64_t device(std::int64_t position) const;  // at a position of the row-major order over the axes
};

// 'x' or 'x':(2)4: a mesh axis, or the part of it that has `size` values and `pre_size` values before it.
struct MeshAxisReference {
  std::size_t axis = 0;  // of Mesh::axes
  std::int64_t pre_size = 1;
  std::int64_t size = 1;
  bool is_part = false;  // written with :(pre_size)size
};

struct ReplicaGroups {
  enum class Form : std::uint8_t {
    kList,  // {{0,1},{2,3}}
    kIota,  // [2,2]<=[4]
    kMesh,  // mesh['x'=2,'y'=4] {'y'}
  };
  // A group count and size may be large in a short text; nothing that expands goes beyond this many ids by default.
  static constexpr std::int64_t kDefaultLimit = std::int64_t{1} << 22;

  Form form = Form::kList;

  // kList: the ids of all groups one after another; group i ends before ends[i].
  std::vector<std::int64_t> ids;
  std::vector<std::size_t> ends;

  // kIota and kMesh: `count` groups of `size`: position p of `order` is member p % size of group p / size.
  std::int64_t count = 0;
  std::int64_t size = 0;
  IotaOrder order;  // of kMesh: over positions of the mesh

  // kMesh: the mesh and the axes that a group spans, as written.
  Mesh mesh;
  std::vector<MeshAxisReference> axes;

  // True for `{}`, which means one group of all participants.
  bool all_participants() const { return form == Form::kList && ends.empty(); }
  std::int64_t group_count() const;
  std::int64_t group_size() const;  // of the largest group; 0 for `{}`
  bool uniform() const;             // all groups are of one size
  std::int64_t id_count() const;    // over all groups

  // Calls fn(Span<std::int64_t> ids) -> bool for each group, in order, until it returns false. Nothing is expanded but
  // the group at hand. False if fn stopped it, or, without a call, if the groups hold more than `limit` ids together.
  template <typename Function>
  bool for_each_group(Function&& fn, std::int64_t limit = kDefaultLimit) const {
    if (id_count() > limit) return false;
    std::vector<std::int64_t> group;
    for (std::int64_t i = 0; i < group_count(); ++i) {
      copy_group(i, group);
      if (!fn(Span<std::int64_t>(group))) return false;
    }
    return true;
  }

  // The ids of group `index`, 0 <= index < group_count().
  void copy_group(std::int64_t index, std::vector<std::int64_t>& group) const;

  // All groups. Errors: ResourceExhausted beyond `limit` ids.
  absl::StatusOr<std::vector<std::vector<std::int64_t>>> expand(std::int64_t limit = kDefaultLimit) const;
};

// Of a collective. Nothing if the text gives none, which means the same as `{}`.
std::optional<ReplicaGroups> replica_groups(InstructionView instruction);
absl::StatusOr<ReplicaGroups> parse_replica_groups(std::string_view text);

// Of a collective-permute: source and target of each message. Of a send and a recv that stand for one, those that XLA
// notes as a frontend attribute; none where it does not.
std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs(InstructionView instruction);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_REPLICA_GROUPS_H_
