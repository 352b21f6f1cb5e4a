// Collectives: which devices talk, over which axes of the mesh, over which links, and how long it takes.
//
//   std::vector<Collective> collectives = find_collectives(module);
//   LogicalMesh mesh = infer_mesh(module, collectives);              // 16 x 8: "8-way over the axis of stride 16"
//   PhysicalMapping mapping = *map_mesh(mesh, device, topology);     // which torus axis carries which mesh axis
//   for (const Collective& c : collectives) {
//     double seconds = collective_cost(c, mesh, mapping, device).seconds;
//   }
//
// Device ids in HLO text are logical. They are flattened here, replica * num_partitions + partition, whatever the group
// mode of an instruction counts in. Groups are kept as strides, not as lists, so that a line of text that names a
// million devices costs a few numbers.
#ifndef HLOROOF_MESH_H_
#define HLOROOF_MESH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/ids.h"
#include "hloroof/module.h"

namespace hloroof {
inline namespace v0 {

// ---- Who takes part ----------------------------------------------------------------------------------------------

// What the numbers in replica_groups count, and how a group of them becomes a group of devices.
enum class GroupMode : std::uint8_t {
  kCrossReplica,              // replica ids; one such group for every partition
  kCrossPartition,            // partition ids; one such group for every replica
  kCrossReplicaAndPartition,  // replica ids; all partitions of those replicas are in the group
  kFlattenedId,               // device ids
};
std::string_view group_mode_name(GroupMode mode);  // "cross_replica", as XLA calls it

// `size` devices whose ids are `stride` apart.
struct GridAxis {
  std::int64_t size = 1;
  std::int64_t stride = 1;

  friend bool operator==(GridAxis a, GridAxis b) { return a.size == b.size && a.stride == b.stride; }
};

// A partition of devices into groups. Regular groups are grids: the members of one are a base plus all combinations of
// `within`, the bases are all combinations of `across`; both outermost (largest stride) first, adjacent axes merged.
struct DeviceGroups {
  GroupMode mode = GroupMode::kFlattenedId;
  bool regular = true;
  bool in_order = true;         // members are written in ascending order
  bool everyone = false;        // the text names no groups: all devices are one
  std::int64_t group_size = 1;  // of the largest
  std::int64_t group_count = 1;
  std::vector<GridAxis> within;
  std::vector<GridAxis> across;
  std::vector<std::vector<std::int64_t>> members;  // of irregular groups only
  std::vector<std::pair<std::string, std::int64_t>>
      named_axes;  // of the mesh the text writes the groups over, if it does
};

// ---- What is exchanged -------------------------------------------------------------------------------------------

enum class CollectiveKind : std::uint8_t {
  kAllGather,
  kReduceScatter,
  kAllReduce,
  kAllToAll,
  kRaggedAllToAll,
  kCollectivePermute,
  kCollectiveBroadcast,
  kSend,
  kRecv,
};
inline constexpr int kCollectiveKindCount = 9;
std::string_view collective_name(CollectiveKind kind);  // "all-gather"

// One collective of the module, however it is written: on its own, as a start/done pair, wrapped by async-start, or
// inside a fusion that starts, finishes or carries it.
struct Collective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  InstructionId instruction;  // the collective itself
  InstructionId carrier;      // the executed instruction that performs it: itself, the start, or the fusion around it
  InstructionId done;         // what waits for it; invalid if the carrier does
  bool in_fusion = false;     // the carrier is a fusion
  DeviceGroups groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // of a permutation: source and target devices
  std::int64_t dimension = -1;                               // gathered, scattered or split; -1 where the kind has none
  double bytes = 0;          // of the full array over all its operands: what is gathered, reduced, or what one device
                             // holds of an exchange; with tile padding
  double element_bytes = 0;  // of one element, on average where operands are of several types
  std::int64_t arrays = 1;   // operands combined in it
  ShapeId shard_shape;       // the operand of a gather, the result of a scatter: one device's part
};

// All collectives of executed computations and of what those call, in the order of the text. A pair that is split over
// a start and a done is found once, at its start.
std::vector<Collective> find_collectives(const Module& module);

// ---- The logical mesh --------------------------------------------------------------------------------------------

// What an axis is used for, read off what is exchanged along it.
enum class AxisRole : std::uint8_t { kUnknown, kData, kFsdp, kTensor, kExpert, kSequence, kPipeline };
std::string_view axis_role_name(AxisRole role);  // "data", "FSDP", "tensor", ...

struct MeshAxis {
  std::string name;  // as the text names it, else made of the size: "axis8", or the stride: "axis8_stride16"
  bool named_in_text = false;
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::vector<AxisRole> roles;  // the likeliest first; several where several parallelisms share the axis
  std::string why;              // what the roles were read off: "weights gathered, gradients scattered"
  double bytes = 0;             // of the collectives along it, one execution each: what the roles weigh
};

// A mesh of device_count devices: axes outermost first, with stride = product of the sizes after it.
struct LogicalMesh {
  std::int64_t device_count = 1;
  std::vector<MeshAxis> axes;
  std::vector<InstructionId> unaligned;  // collectives whose groups are no grid of these axes; costed by the fallback
  std::vector<std::string> notes;        // what was assumed

  std::string to_string() const;  // "data 4 (stride 2) x model 2 (stride 1)"
};

LogicalMesh infer_mesh(const Module& module);
LogicalMesh infer_mesh(const Module& module, const std::vector<Collective>& collectives);

// What each collective tells of the axes it runs over: FSDP where weights are gathered, and so on.
std::vector<AxisRole> collective_roles(const Module& module, const std::vector<Collective>& collectives);

// Indices into mesh.axes of the axes the groups span, outermost first. Empty if the groups are not aligned with the
// mesh.
std::vector<int> spanned_axes(const LogicalMesh& mesh, const DeviceGroups& groups);

// ---- The machine under it ----------------------------------------------------------------------------------------

enum class LinkKind : std::uint8_t { kIci, kDieToDie, kDcn, kScaleUp, kNetwork };

struct PhysicalAxis {
  std::string name;  // "x", "y", "z", "core", "slice", "nvlink", "node"
  std::int64_t size = 1;
  bool wraps = false;
  LinkKind link = LinkKind::kIci;
  bool twisted = false;  // its wraparound links also go half-way along the longer axes of the torus (Topology::twisted)
};

// A stretch of a physical axis that carries (part of) a mesh axis: `size` positions, `stride` apart.
struct AxisPiece {
  int physical = 0;  // index into PhysicalMapping::physical
  std::int64_t size = 1;
  std::int64_t stride = 1;
  // The piece is a whole axis that closes to a ring. A twisted one does together with all of the longer axes.
  bool wraps = false;
};

struct PhysicalMapping {
  Topology topology;
  std::vector<PhysicalAxis> physical;
  std::vector<std::vector<AxisPiece>> pieces;  // of each axis of the logical mesh
  std::vector<std::int64_t> position;  // of each device, row-major over `physical`, where the user gave an order;
                                       // empty: what the pieces say
  bool aligned = true;                 // false: the mesh does not factor over the machine; order of ids is assumed
  std::vector<std::string> notes;

  std::string placement(std::size_t axis) const;         // of one axis of the mesh: "y (ring) and x (2 of 4)"
  std::string to_string(const LogicalMesh& mesh) const;  // "data 4 on y; model 2 on x"
};

struct MeshOptions {
  std::vector<std::pair<std::string, std::int64_t>> axes;  // names and sizes to use in place of those inferred
  // mesh axis names in the order in which they take the machine's axes; default: innermost first, as mesh builders do
  std::vector<std::string> order;
  // The devices of the text in the order in which they stand on the machine: slices or nodes outermost, then x, y, z,
  // then the devices of a chip, the last fastest. Empty: the mesh is laid out axis by axis.
  std::vector<std::int64_t> device_order;
  std::optional<bool> wrap;  // what if: all torus axes closed (true) or open (false)
};

// Reads a device order: ids between commas, "0,2,1,3", or an enumeration as replica groups have it,
// "[1,8]<=[2,4]T(1,0)". Errors: InvalidArgument if it is neither or names more than 2^20 devices.
absl::StatusOr<std::vector<std::int64_t>> parse_device_order(std::string_view text);

// Reads "data=4,model=2". Errors: InvalidArgument.
absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> parse_mesh(std::string_view text);

// Replaces the mesh by one with these axes, outermost first. Errors: InvalidArgument if the sizes do not multiply to
// the mesh's device count. The second form also reads the roles of the new axes off the collectives.
absl::StatusOr<LogicalMesh> override_mesh(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes);
absl::StatusOr<LogicalMesh> override_mesh(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes,
                                          const Module& module, const std::vector<Collective>& collectives);

// Lays the mesh on the machine as mesh builders do: from the innermost axis outwards, each axis takes whole physical
// axes whose sizes multiply to its own, the most axes first, and parts of them where that fails; slices and nodes go to
// the outermost. With a device order each axis lies where its devices do; one whose devices are no stretches of the
// machine leaves the mapping unaligned. Errors: InvalidArgument if the topology has fewer devices than the mesh,
// `options.order` names no axis, or the device order is no order of the mesh's devices.
absl::StatusOr<PhysicalMapping> map_mesh(const LogicalMesh& mesh, const Device& device, const Topology& topology,
                                         const MeshOptions& options = {});

// ---- Time --------------------------------------------------------------------------------------------------------

struct CollectiveOptions {
  // What if all-reduces and reduce-scatters sent elements of this many bytes: 1 for int8. Smaller elements stay as they
  // are.
  std::optional<double> reduce_element_bytes;
  double imbalance = 1;  // ragged exchanges: bytes on the busiest path / the average
};

struct CollectiveCost {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  double bytes = 0;  // of the full array
  std::int64_t group_size = 1;
  std::int64_t group_count = 1;
  std::vector<std::string> axes;  // "8-way over the axis of stride 16"
  std::string algorithm;          // "ring over 1 wrapped axis", "line, one axis after another", ...
  double wire_bytes = 0;          // sent by each device
  double busiest_link_bytes = 0;  // over the busiest link, one direction
  double latency_seconds = 0;     // hops, barriers, launch: what remains as bytes go to nothing
  double bandwidth_seconds = 0;   // the rest
  double seconds = 0;
  Resource resource = Resource::kIci;  // kIci also stands for NVLink, kDcn for the network between nodes
  double link_bandwidth = 0;           // bytes/s, one link one way, nominal, of the busiest kind
  double utilization = 0;              // achieved share of it on the busiest link
  double crossover_bytes = 0;          // full bytes at which latency and bandwidth take equal time
  CostSource source = CostSource::kModel;
  std::string note;  // the assumption behind a source that is not kModel
};

// One execution of one collective. Never fails: what the device file or the text does not say is assumed and said so in
// `source` and `note`.
CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options = {});

// Rows of the batch on each device from which on the matmuls with the weights that `collective` gathers, or whose
// gradients it reduces, take as long as it does; nothing for what moves no weights. `role` is that of
// collective_roles().
std::optional<double> crossover_tokens(const Collective& collective, AxisRole role, const CollectiveCost& cost,
                                       const Device& device);

// ---- In words ----------------------------------------------------------------------------------------------------

// Explains one collective, a line each: its groups as axes, the shapes they imply, the links, the formula with numbers.
//   replica_groups: 16 groups of 8: 8-way over the axis of stride 16 (axis8_stride16); the other axis is 16-way
//   unsharded: bf16[32,32,8192] a device, 8-way on dimension 2: bf16[32,32,65536]
std::vector<std::string> explain_collective(const Module& module, const Collective& collective, const LogicalMesh& mesh,
                                            const PhysicalMapping& mapping, const Device& device,
                                            const CollectiveOptions& options = {});

// The mesh with the roles of its axes and where they lie on the machine, a line each.
std::vector<std::string> explain_mesh(const LogicalMesh& mesh, const PhysicalMapping& mapping);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_MESH_H_
