// The replica_groups attribute in a form as compact as its text, and source_target_pairs.
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

// `<=[2,4]T(1,0)`: a permutation of the ids 0 .. product-1. The ids are laid out row-major over `dimensions`,
// transposed by `permutation`, and read row-major. One dimension with permutation {0} is the identity.
struct IotaOrder {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> permutation;

  std::int64_t size() const;  // product of the dimensions; the parser has rejected overflow
  std::int64_t operator[](std::int64_t position) const;

  friend bool operator==(const IotaOrder& a, const IotaOrder& b) {
    return a.dimensions == b.dimensions && a.permutation == b.permutation;
  }
};

// mesh['x'=2,'y'=4], device_ids=(...): devices on named axes in row-major order.
struct Mesh {
  struct Axis {
    std::string name;
    std::int64_t size = 1;
  };
  std::vector<Axis> axes;
  std::vector<std::int64_t> device_ids;        // as listed; if empty, `order` defines them
  IotaOrder order;                             // device_ids=([4,16]T(1,0)); empty means the identity
  std::optional<std::int64_t> maximal_device;  // maximal_mesh[device_id=N]: one device, no axes

  std::int64_t device_count() const;
  std::int64_t device(std::int64_t position) const;  // at a row-major position over the axes
};

// 'x' or 'x':(2)4: a mesh axis, or a sub-axis of `size` values with `pre_size` values before it.
struct MeshAxisReference {
  std::size_t axis = 0;  // of Mesh::axes
  std::int64_t pre_size = 1;
  std::int64_t size = 1;
  bool is_part = false;  // written as :(pre_size)size
};

struct ReplicaGroups {
  enum class Form : std::uint8_t {
    kList,  // {{0,1},{2,3}}
    kIota,  // [2,2]<=[4]
    kMesh,  // mesh['x'=2,'y'=4] {'y'}
  };
  // A short text can describe huge groups. Functions that expand groups stop at this many ids by default.
  static constexpr std::int64_t kDefaultLimit = std::int64_t{1} << 22;

  Form form = Form::kList;

  // kList: the concatenated ids of all groups; group i ends before ends[i].
  std::vector<std::int64_t> ids;
  std::vector<std::size_t> ends;

  // kIota and kMesh: `count` groups of `size` ids. Position p of `order` is member p % size of group p / size.
  std::int64_t count = 0;
  std::int64_t size = 0;
  IotaOrder order;  // for kMesh: over positions of the mesh

  // kMesh: the mesh and the axes that a group spans, as written.
  Mesh mesh;
  std::vector<MeshAxisReference> axes;

  // True for `{}`, which means one group of all participants.
  bool all_participants() const { return form == Form::kList && ends.empty(); }
  std::int64_t group_count() const;
  std::int64_t group_size() const;  // of the largest group; 0 for `{}`
  bool uniform() const;             // whether all groups have the same size
  std::int64_t id_count() const;    // over all groups

  // Calls fn(Span<std::int64_t> ids) -> bool for each group, in order, until it returns false. Expands one group at a
  // time. Returns false if fn did. Returns false without calling fn if the groups have more than `limit` ids in total.
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

// The groups of a collective. nullopt if the text has none, which means the same as `{}`.
std::optional<ReplicaGroups> replica_groups(InstructionView instruction);
absl::StatusOr<ReplicaGroups> parse_replica_groups(std::string_view text);

// The source and target of each message of a collective-permute. For a send or recv that XLA made from a permute, the
// pairs in its frontend attribute, or else an empty list.
std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs(InstructionView instruction);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_REPLICA_GROUPS_H_
