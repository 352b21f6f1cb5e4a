// Facts about a module that do not depend on a device: the physical size and memory space of its buffers, how often
// each computation runs, and the device groups and mesh axes of its collectives.
//
//   const Shape& s = instruction.shape();                      // s32[8388608,8,4]{2,1,0:T(8,128)}
//   padded_bytes(s) / logical_bytes(s);                        // 32: the minor dimension of 4 takes 128 lanes
//
//   CallGraph calls = analyze_calls(module);
//   for (InstructionId id : calls.scheduled_instructions()) {
//     double n = calls.executions(module.instruction(id));     // once in ENTRY, 31 times in a loop of 31 trips
//   }
//
//   std::vector<Collective> collectives = find_collectives(module);
//   LogicalMesh mesh = infer_mesh(module, collectives);        // 16 x 8
//   spanned_axes(mesh, collectives[0].groups);                 // {1}: the groups span the axis of size 8
//
// Device ids in HLO text are logical. Here they are always flattened to replica * num_partitions + partition, for every
// group mode; between slices, the slices before it precede that. Regular groups are stored as strides, so that a line
// of text that names a million devices takes a few numbers.
//
// Lifetime: a CallGraph points to its module. The module must outlive it, and any edit of the module makes it stale.
// The other structs own their data; the ids in a Collective refer to its module, and an edit makes them stale.
//
// Threads: the functions keep no state. Any number of threads may call them and read one CallGraph.
#ifndef HLOROOF_ANALYSIS_H_
#define HLOROOF_ANALYSIS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
namespace internal {
inline namespace analysis {
enum class ComputationRole : std::uint8_t;
class Callers;
struct CallFacts;
}  // namespace analysis
}  // namespace internal
inline namespace v0 {

// ---- Origin ------------------------------------------------------------------------------------------------------

// The backend of XLA that a module was compiled for. kUnknown if the text shows none.
enum class Backend : std::uint8_t { kUnknown, kTpu, kGpu, kCpu };

// How far the compiler got before it printed the text.
enum class CompileStage : std::uint8_t {
  kUnknown,
  kUnpartitioned,  // shardings over several devices, and the SPMD partitioner has not run
  kUnoptimized,    // no schedule and no fusions
  kOptimized,
};

// What the text of a module shows about its compilation. Each evidence is one line that names the place in the text; it
// is empty if there is none.
struct ModuleOrigin {
  Backend backend = Backend::kUnknown;
  std::string backend_evidence;
  // The built-in TPUs that have all hardware the text uses. Empty if the text excludes none of them.
  std::vector<std::string> generations;
  std::string generation_evidence;
  CompileStage stage = CompileStage::kUnknown;
  std::string stage_evidence;
  std::int64_t sharded_over = 1;  // kUnpartitioned: the number of devices that the shardings name
};

// ---- Sizes -------------------------------------------------------------------------------------------------------

// The memory that holds a buffer, from S(n) of its layout. TPUs use 0 for HBM, 1 for VMEM and 5 for pinned host memory;
// 2, 3, 4, 6 and 8 are sync flags, semaphores and SMEM. GPUs use 5 for host memory and everything else for device
// memory.
enum class MemorySpace : std::uint8_t { kHbm, kVmem, kHost, kScalar };
MemorySpace memory_space(const Shape& shape);

// The extent of an array in memory. `dimensions` are the dimensions after tiling, most major first, so the last one
// varies fastest: f32[3,5]{1,0:T(2,2)} has 2,3,2,2. `elements` is their product, rounded up to the tail padding L(n).
struct PhysicalSize {
  std::vector<std::int64_t> dimensions;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  bool overflow = false;  // elements or bytes exceed int64 and are INT64_MAX
};

// Follows every tile group, `*`, E(bits), L(n) and the largest piece of an SC(...) split. A bounded dynamic dimension
// counts at its bound, an unbounded one as 1. A token has size 0 and an opaque the size of a pointer. A tuple has size
// 0, because its elements are separate buffers.
PhysicalSize physical_size(const Shape& shape);

// Bytes of an array with and without padding. The overloads with a table also accept a tuple or buffer, for which they
// return the sum over its leaves. Results saturate at INT64_MAX.
std::int64_t padded_bytes(const Shape& shape);
std::int64_t logical_bytes(const Shape& shape);
std::int64_t padded_bytes(const ShapeTable& table, ShapeId id);
std::int64_t logical_bytes(const ShapeTable& table, ShapeId id);

// ---- Calls and loops ---------------------------------------------------------------------------------------------

// How often a while loop runs its body.
struct TripCount {
  enum class Source : std::uint8_t {
    kAnnotated,  // known_trip_count in the text
    kInferred,   // from the counter's initial value, step and bound
    kUser,
    kAssumed,  // unknown; CallOptions::default_trip_count
  };
  std::int64_t value = 1;
  Source source = Source::kAssumed;
  std::string why;  // "0 to 31 by 1, <", or why no count could be inferred
};

struct CallOptions {
  std::map<std::string, std::int64_t> trip_counts;  // by name of the while instruction; overrides the text
  std::int64_t default_trip_count = 1;              // for loops whose count is unknown and has no bound
  std::map<std::string, std::vector<double>> branch_probabilities;  // by name of the conditional; default: all equal
};

// How often everything runs. Immutable; tables are indexed by ids; edits of the module make it stale.
class CallGraph {
 public:
  // Executions per step: the product of the enclosing trip counts and branch probabilities. A condition runs once more
  // than its body. 0 for computations that are not scheduled: those that a fusion, an async-start or an instruction
  // such as reduce calls, whose work belongs to their caller.
  double executions(ComputationId id) const { return executions_[id.index]; }
  double executions(InstructionView instruction) const { return executions(instruction.computation().id()); }

  // All instructions of scheduled computations: ENTRY, loop bodies and conditions, branches and called computations.
  // Callers come before callees.
  std::vector<InstructionId> scheduled_instructions() const;

  // The while loops among them, in the same order, with their trip counts.
  struct Loop {
    InstructionId instruction;
    TripCount trips;
  };
  const std::vector<Loop>& loops() const { return loops_; }

 private:
  friend CallGraph analyze_calls(const Module& module, const CallOptions& options);
  friend internal::CallFacts;

  const Module* module_ = nullptr;
  std::vector<double> executions_;
  std::vector<internal::ComputationRole> roles_;
  std::shared_ptr<const internal::Callers> callers_;  // shared by copies
  std::vector<ComputationId> scheduled_;
  std::vector<InstructionId> calls_;  // the loops, conditionals and calls in scheduled computations, in their order
  std::vector<Loop> loops_;
  std::vector<bool> trips_read_off_;                                   // by InstructionId
  std::vector<bool> trips_follow_callers_;                             // by ComputationId
  std::map<std::uint32_t, std::vector<double>> branch_probabilities_;  // by conditional; from the options
};

// Analyzes the calls of `module`, which must outlive the result. Executions saturate at 2^53.
CallGraph analyze_calls(const Module& module, const CallOptions& options = {});

// ---- Device groups -----------------------------------------------------------------------------------------------

// The meaning of the ids in replica_groups.
enum class GroupMode : std::uint8_t {
  kCrossReplica,              // replica ids; the group repeats for every partition
  kCrossPartition,            // partition ids; the group repeats for every replica
  kCrossReplicaAndPartition,  // replica ids; the group has all partitions of those replicas
  kFlattenedId,               // device ids
};

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
  // The axes of the mesh over which the text defines the groups, if it does and they have names of the program: those
  // that XLA numbers ("axis_0") are not among them. Strides are those of devices, whatever order the mesh has these in.
  std::vector<std::pair<std::string, GridAxis>> named_axes;
};

// ---- Collectives -------------------------------------------------------------------------------------------------

// One collective of the module in any form: a single instruction, a start/done pair, wrapped by async-start, or inside
// a fusion that starts, finishes or carries it.
struct Collective {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  InstructionId instruction;  // the collective itself
  InstructionId carrier;      // the executed instruction: the collective itself, its start, or its fusion
  double runs = 1;            // executions for each execution of the carrier; not 1 in loops of other threads
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
  // A transfer between slices, which a send and a recv hand to the host: the number of slices of the program that its
  // target implies. `instruction` and `carrier` are the recv. 0 for all other collectives.
  std::int64_t slices = 0;
};

// The collectives of executed computations and of their callees, in the order of the text. A start/done pair appears
// once, at its start.
std::vector<Collective> find_collectives(const Module& module);

// ---- The logical mesh --------------------------------------------------------------------------------------------

// The parallelism that uses an axis, inferred from the collectives along it.
enum class AxisRole : std::uint8_t { kUnknown, kData, kFsdp, kTensor, kExpert, kSequence, kPipeline };

struct MeshAxis {
  // From the text or from MeshOptions, or else what is known of the axis: "8-way", and "8-way stride-16" where the mesh
  // has several of its size. The axis between slices is "slices".
  std::string name;
  bool named_in_text = false;
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::vector<AxisRole> roles;  // most likely first; several if several parallelisms share the axis
  std::string why;              // the evidence for the roles: "weights gathered, gradients scattered"
  double bytes = 0;             // of all collectives along the axis, one execution each
};

// A mesh of device_count devices. Axes are outermost first; the stride of each is the product of the sizes after it.
struct LogicalMesh {
  std::int64_t device_count = 1;  // of all slices
  // The slices that the text names. If there are several, the module is the program of one slice, and the axes whose
  // stride is at least device_count / slices are between slices.
  std::int64_t slices = 1;
  std::vector<MeshAxis> axes;
  std::vector<InstructionId> unaligned;  // collectives whose groups do not match the axes; the fallback predicts them
  std::vector<std::string> notes;        // assumptions

  std::string to_string() const;  // "data 4 (stride 2) x model 2 (stride 1)", "8-way stride-1 axis"
};
LogicalMesh infer_mesh(const Module& module);
LogicalMesh infer_mesh(const Module& module, const std::vector<Collective>& collectives);

// The axes that the groups span, as indices into mesh.axes, outermost first. Empty if the groups do not match the mesh.
std::vector<int> spanned_axes(const LogicalMesh& mesh, const DeviceGroups& groups);

// ---- The physical machine ----------------------------------------------------------------------------------------

struct MeshOptions {
  std::vector<std::pair<std::string, std::int64_t>> axes;  // names and sizes that override the inferred axes
  // Names of mesh axes in the order in which they are assigned to the machine's axes. Default: innermost first.
  std::vector<std::string> order;
  // The devices of the text in machine order: slices or nodes outermost, then x, y, z, then the devices of a chip, the
  // last fastest. If empty, the mesh is mapped axis by axis.
  std::vector<std::int64_t> device_order;
  std::optional<bool> wrap;  // what-if: all torus axes closed (true) or open (false)
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ANALYSIS_H_
