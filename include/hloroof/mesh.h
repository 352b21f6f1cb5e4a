// Collectives: the devices, mesh axes and links that they use, and the time that they take.
//
//   std::vector<Collective> collectives = find_collectives(module);
//   LogicalMesh mesh = infer_mesh(module, collectives);              // 16 x 8: "8-way over the axis of stride 16"
//   PhysicalMapping mapping = *map_mesh(mesh, device, topology);     // which torus axis carries which mesh axis
//   for (const Collective& c : collectives) {
//     double seconds = collective_cost(c, mesh, mapping, device).seconds;
//   }
//
// Device ids in HLO text are logical. Here they are always flattened to replica * num_partitions + partition, for every
// group mode. Regular groups are stored as strides, so that a line of text that names a million devices takes a few
// numbers.
//
// Lifetime: the structs own their data. The ids in a Collective refer to its module, and an edit makes them stale.
//
// Threads: the functions keep no state and may run on any number of threads.
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

// ---- Device groups -----------------------------------------------------------------------------------------------

// The meaning of the ids in replica_groups.
enum class GroupMode : std::uint8_t {
  kCrossReplica,              // replica ids; the group repeats for every partition
  kCrossPartition,            // partition ids; the group repeats for every replica
  kCrossReplicaAndPartition,  // replica ids; the group has all partitions of those replicas
  kFlattenedId,               // device ids
};
std::string_view group_mode_name(GroupMode mode);  // XLA's name, such as "cross_replica"

// `size` devices whose ids are `stride` apart.
struct GridAxis {
  std::int64_t size = 1;
  std::int64_t stride = 1;

  friend bool operator==(GridAxis a, GridAxis b) { return a.size == b.size && a.stride == b.stride; }
};

// A partition of the devices into groups. Regular groups are grids: the members of a group are a base plus all
// combinations of `within`, and the bases are all combinations of `across`. Both lists are outermost (largest stride)
// first, with adjacent axes merged.
struct DeviceGroups {
  GroupMode mode = GroupMode::kFlattenedId;
  bool regular = true;
  bool in_order = true;         // members are listed in ascending order
  bool all_devices = false;     // the text names no groups: all devices are one
  std::int64_t group_size = 1;  // of the largest
  std::int64_t group_count = 1;
  std::vector<GridAxis> within;
  std::vector<GridAxis> across;
  std::vector<std::vector<std::int64_t>> members;  // irregular groups only
  // The axes of the mesh over which the text defines the groups, if it does.
  std::vector<std::pair<std::string, std::int64_t>> named_axes;
};

// ---- Collectives -------------------------------------------------------------------------------------------------

std::string_view collective_name(CollectiveKind kind);  // "all-gather"

// One collective of the module in any form: a single instruction, a start/done pair, wrapped by async-start, or inside
// a fusion that starts, finishes or carries it.
struct Collective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  InstructionId instruction;  // the collective itself
  InstructionId carrier;      // the executed instruction: the collective itself, its start, or its fusion
  InstructionId done;         // the instruction that waits for it; invalid if the carrier does
  bool in_fusion = false;     // the carrier is a fusion
  DeviceGroups groups;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // source and target devices of a permutation
  std::int64_t dimension = -1;  // the dimension that is gathered, scattered or split; -1 if the kind has none
  // Bytes of the full array, summed over operands and with tile padding: the gathered or reduced array, or the share of
  // one device for an exchange.
  double bytes = 0;
  double element_bytes = 0;  // bytes of one element, on average if operands have several types
  std::int64_t arrays = 1;   // the number of combined operands
  ShapeId shard_shape;       // the part of one device: the operand of a gather, the result of a scatter
};

// The collectives of executed computations and of their callees, in the order of the text. A start/done pair appears
// once, at its start.
std::vector<Collective> find_collectives(const Module& module);

// ---- The logical mesh --------------------------------------------------------------------------------------------

// The parallelism that uses an axis, inferred from the collectives along it.
enum class AxisRole : std::uint8_t { kUnknown, kData, kFsdp, kTensor, kExpert, kSequence, kPipeline };
std::string_view axis_role_name(AxisRole role);  // "data", "FSDP", "tensor", ...

struct MeshAxis {
  std::string name;  // from the text, or else from the size ("axis8") and the stride ("axis8_stride16")
  bool named_in_text = false;
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::vector<AxisRole> roles;  // most likely first; several if several parallelisms share the axis
  std::string why;              // the evidence for the roles: "weights gathered, gradients scattered"
  double bytes = 0;             // of all collectives along the axis, one execution each
};

// A mesh of device_count devices. Axes are outermost first; the stride of each is the product of the sizes after it.
struct LogicalMesh {
  std::int64_t device_count = 1;
  std::vector<MeshAxis> axes;
  std::vector<InstructionId> unaligned;  // collectives whose groups do not match the axes; the fallback predicts them
  std::vector<std::string> notes;        // assumptions

  std::string to_string() const;  // "data 4 (stride 2) x model 2 (stride 1)"
};

LogicalMesh infer_mesh(const Module& module);
LogicalMesh infer_mesh(const Module& module, const std::vector<Collective>& collectives);

// The role that each collective implies for its axes: FSDP if it gathers weights, and so on.
std::vector<AxisRole> collective_roles(const Module& module, const std::vector<Collective>& collectives);

// The axes that the groups span, as indices into mesh.axes, outermost first. Empty if the groups do not match the mesh.
std::vector<int> spanned_axes(const LogicalMesh& mesh, const DeviceGroups& groups);

// ---- The physical machine ----------------------------------------------------------------------------------------

enum class LinkKind : std::uint8_t { kIci, kDieToDie, kDcn, kScaleUp, kNetwork };

struct PhysicalAxis {
  std::string name;  // "x", "y", "z", "core", "slice", "nvlink", "node"
  std::int64_t size = 1;
  bool wraps = false;
  LinkKind link = LinkKind::kIci;
  bool twisted = false;  // its wraparound links also shift half-way along the longer axes (Topology::twisted)
};

// A section of a physical axis that carries a mesh axis or part of one: `size` positions, `stride` apart.
struct AxisPiece {
  int physical = 0;  // index into PhysicalMapping::physical
  std::int64_t size = 1;
  std::int64_t stride = 1;
  // The piece is a whole axis that closes to a ring. A twisted axis closes only together with the longer axes.
  bool wraps = false;
};

struct PhysicalMapping {
  Topology topology;
  std::vector<PhysicalAxis> physical;
  std::vector<std::vector<AxisPiece>> pieces;  // of each axis of the logical mesh
  // The position of each device, row-major over `physical`, if the user set a device order; otherwise empty.
  std::vector<std::int64_t> position;
  bool aligned = true;  // false if the mesh does not factor over the machine; devices are then placed in order of ids
  std::vector<std::string> notes;

  std::string placement(std::size_t axis) const;         // of one mesh axis: "y (ring) and x (2 of 4)"
  std::string to_string(const LogicalMesh& mesh) const;  // "data 4 on y; model 2 on x"
};

struct MeshOptions {
  std::vector<std::pair<std::string, std::int64_t>> axes;  // names and sizes that override the inferred axes
  // Names of mesh axes in the order in which they are assigned to the machine's axes. Default: innermost first.
  std::vector<std::string> order;
  // The devices of the text in machine order: slices or nodes outermost, then x, y, z, then the devices of a chip, the
  // last fastest. If empty, the mesh is mapped axis by axis.
  std::vector<std::int64_t> device_order;
  std::optional<bool> wrap;  // what-if: all torus axes closed (true) or open (false)
};

// Parses a device order: comma-separated ids, "0,2,1,3", or the iota form of replica groups, "[1,8]<=[2,4]T(1,0)".
// Errors: InvalidArgument if it is neither or names more than 2^20 devices.
absl::StatusOr<std::vector<std::int64_t>> parse_device_order(std::string_view text);

// Parses "data=4,model=2". Errors: InvalidArgument.
absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> parse_mesh(std::string_view text);

// A mesh with these axes, outermost first, in place of the inferred ones. The second form also infers the roles of the
// new axes. Errors: InvalidArgument if the product of the sizes is not the mesh's device count.
absl::StatusOr<LogicalMesh> override_mesh(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes);

// Maps the mesh to the machine as mesh builders do. From the innermost axis outwards, each mesh axis takes whole
// physical axes whose sizes multiply to its size, preferring more axes, and parts of axes if there are none. Slices and
// nodes go to the outermost axes. A device order overrides this; if the devices of a mesh axis are then not regularly
// spaced on the machine, the mapping is unaligned. Errors: InvalidArgument if the topology has fewer devices than the
// mesh, if `options.order` names an unknown axis, or if the device order is not a permutation of the mesh's devices.
absl::StatusOr<PhysicalMapping> map_mesh(const LogicalMesh& mesh, const Device& device, const Topology& topology,
                                         const MeshOptions& options = {});

// ---- Time --------------------------------------------------------------------------------------------------------

struct CollectiveOptions {
  // What-if: all-reduces and reduce-scatters send elements of this many bytes, such as 1 for int8. Does not change
  // smaller elements.
  std::optional<double> reduce_element_bytes;
  double imbalance = 1;  // ragged exchanges: bytes on the busiest path / average bytes
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
  double latency_seconds = 0;     // hops, barriers and launch: the time of a message without bytes
  double bandwidth_seconds = 0;   // seconds - latency_seconds
  double seconds = 0;
  Resource resource = Resource::kIci;  // kIci includes NVLink, kDcn the network between nodes
  double link_bandwidth = 0;           // nominal bytes/s of the busiest kind of link, one direction
  double utilization = 0;              // the share of link_bandwidth that the busiest link attains
  double crossover_bytes = 0;          // full bytes at which latency and bandwidth take equal time
  CostSource source = CostSource::kModel;
  std::string note;                          // the assumption behind a source that is not kModel
  std::vector<std::string> missing_numbers;  // paths of numbers that the formula reads and the device file lacks
};

// The cost of one execution of a collective. Never fails: `source` and `note` tell which facts were missing from the
// device file or the text and were assumed.
CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options = {});

// Per-device batch size, in rows, above which matmuls hide this collective. These are the matmuls with the weights that
// it gathers, or whose gradients it reduces. nullopt if it does not move weights. `role` is from collective_roles().
std::optional<double> crossover_tokens(const Collective& collective, AxisRole role, const CollectiveCost& cost,
                                       const Device& device);

// ---- Explanations ------------------------------------------------------------------------------------------------

// Explains one collective line by line: its groups as axes, the unsharded shape, the links, and the formula with
// numbers.
//   replica_groups: 16 groups of 8: 8-way over the axis of stride 16 (axis8_stride16); the other axis is 16-way
//   unsharded: bf16[32,32,8192] a device, 8-way on dimension 2: bf16[32,32,65536]
std::vector<std::string> explain_collective(const Module& module, const Collective& collective, const LogicalMesh& mesh,
                                            const PhysicalMapping& mapping, const Device& device,
                                            const CollectiveOptions& options = {});

// Explains the mesh line by line: its axes, their roles and their place on the machine.
std::vector<std::string> explain_mesh(const LogicalMesh& mesh, const PhysicalMapping& mapping);

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_MESH_H_
