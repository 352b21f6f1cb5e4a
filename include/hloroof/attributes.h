// The values of HLO attributes as plain structs, decoded from their text on demand.
//
//   if (std::optional<Window> w = window(convolution)) use(w->dimensions[0].stride);
//   DotDimensions d = dot_dimensions(dot);              // d.lhs_contracting, d.rhs_batch, ...
//   if (std::optional<ReplicaGroups> g = replica_groups(all_reduce)) use(g->group_count());
//   std::string where = source_location(instruction).file;
//
// The functions return an empty optional, list or string if the instruction does not have the attribute. They do the
// same if its text is malformed, which the parser rejects but an edit may cause. InstructionView::text() returns the
// text of any attribute.
//
// Lifetime: the results own their data. Nothing is cached: each call decodes again.
//
// Threads: any number of threads may call these functions while no thread edits the module.
#ifndef HLOROOF_ATTRIBUTES_H_
#define HLOROOF_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof {
namespace internal {
inline namespace values {
struct StackFrameReader;
}  // namespace values
}  // namespace internal
inline namespace v0 {

// ---- window, dim_labels, padding, slice -------------------------------------------------------------------------

// {size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0}, one entry per spatial dimension.
struct WindowDimension {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t pad_low = 0;
  std::int64_t pad_high = 0;
  std::int64_t base_dilation = 1;    // lhs_dilate: (base_dilation - 1) holes between neighbouring input elements
  std::int64_t window_dilation = 1;  // rhs_dilate: (window_dilation - 1) holes between neighbouring window elements
  bool reversal = false;

  friend bool operator==(const WindowDimension& a, const WindowDimension& b);
};

struct Window {
  std::vector<WindowDimension> dimensions;

  friend bool operator==(const Window& a, const Window& b) { return a.dimensions == b.dimensions; }
};

std::optional<Window> window(InstructionView instruction);

// b01f_01io->b01f: the meaning of each array dimension. A field is -1 if its label is absent. spatial[i] is the array
// dimension that holds spatial dimension i.
struct ConvolutionDimensionNumbers {
  std::int64_t lhs_batch = -1;
  std::int64_t lhs_feature = -1;
  std::vector<std::int64_t> lhs_spatial;
  std::int64_t rhs_input_feature = -1;
  std::int64_t rhs_output_feature = -1;
  std::vector<std::int64_t> rhs_spatial;
  std::int64_t output_batch = -1;
  std::int64_t output_feature = -1;
  std::vector<std::int64_t> output_spatial;
};
std::optional<ConvolutionDimensionNumbers> convolution_dimension_numbers(InstructionView instruction);

// ---- Dimension numbers of dot, gather, scatter ------------------------------------------------------------------

// The dimension numbers of dot, ragged-dot and scaled-dot. Only ragged-dot has lhs_ragged and rhs_group.
struct DotDimensions {
  std::vector<std::int64_t> lhs_contracting;
  std::vector<std::int64_t> rhs_contracting;
  std::vector<std::int64_t> lhs_batch;
  std::vector<std::int64_t> rhs_batch;
  std::vector<std::int64_t> lhs_ragged;
  std::vector<std::int64_t> rhs_group;
};
DotDimensions dot_dimensions(InstructionView instruction);

// ---- Origin in the source ---------------------------------------------------------------------------------------

// metadata={...}. Integers are 0 and strings are empty if the text does not have them.
struct Metadata {
  std::string op_type;
  std::string op_name;  // the path in the user's program: jit(f)/while/body/dot_general
  std::string source_file;
  std::int32_t source_line = 0;
  std::int32_t source_end_line = 0;
  std::int32_t source_column = 0;
  std::int32_t source_end_column = 0;
  std::vector<std::int64_t> profile_types;
  std::string deduplicated_name;  // the instruction whose code this one shares
  std::string scheduling_name;
  std::int32_t stack_frame_id = 0;  // starts at 1; 0 means none
  std::string metadata_payload;
};

// The op_name of metadata. Cheaper than decoding all of it.
std::string op_name(InstructionView instruction);

// A place in the user's source. The file is empty if the place is unknown.
struct SourceLocation {
  std::string file;
  std::string function;
  std::int32_t line = 0;
  std::int32_t end_line = 0;
  std::int32_t column = 0;
  std::int32_t end_column = 0;
};

// The FileNames, FunctionNames, FileLocations and StackFrames tables of a module. A copy that does not refer to the
// module; any number of threads may read it.
class StackFrames {
 public:
  StackFrames() = default;
  explicit StackFrames(const Module& module);

 private:
  struct Location {
    std::uint32_t file = 0;
    std::uint32_t function = 0;
    std::int32_t line = 0;
    std::int32_t end_line = 0;
    std::int32_t column = 0;
    std::int32_t end_column = 0;
  };
  friend internal::StackFrameReader;
  friend SourceLocation source_location(InstructionView instruction, const StackFrames& frames);

  // The location of frame `id`, which starts at 1 as stack_frame_id does. nullopt if there is no such frame.
  std::optional<SourceLocation> location(std::int64_t id) const;

  std::vector<std::string> files_;
  std::vector<std::string> functions_;
  std::vector<Location> locations_;
  std::vector<std::uint32_t> frames_;  // the location of each frame, from 1
};

// The source location of an instruction: source_file and source_line of its metadata, or else its stack frame. Use the
// second form for many instructions; it does not decode the module's tables on every call.
SourceLocation source_location(InstructionView instruction);
SourceLocation source_location(InstructionView instruction, const StackFrames& frames);

// `<=[2,4]T(1,0)`: a permutation of the ids 0 .. product-1. The ids are laid out row-major over `dimensions`,
// transposed by `permutation`, and read row-major. One dimension with permutation {0} is the identity.
struct IotaOrder {
  std::vector<std::int64_t> dimensions;
  std::vector<std::int64_t> permutation;

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

  std::int64_t group_count() const;  // 0 for `{}`, which means one group of all participants
  std::int64_t group_size() const;   // of the largest group; 0 for `{}`

  // Calls fn(absl::Span<const std::int64_t> ids) -> bool for each group, in order, until it returns false. Expands one
  // group at a time. Returns false if fn did. Returns false without calling fn if the groups have more than `limit` ids
  // in total.
  template <typename Function>
  bool for_each_group(Function&& fn, std::int64_t limit = kDefaultLimit) const {
    if (id_count() > limit) return false;
    std::vector<std::int64_t> group;
    for (std::int64_t i = 0; i < group_count(); ++i) {
      copy_group(i, group);
      if (!fn(absl::Span<const std::int64_t>(group))) return false;
    }
    return true;
  }

 private:
  std::int64_t id_count() const;  // over all groups
  // The ids of group `index`, 0 <= index < group_count().
  void copy_group(std::int64_t index, std::vector<std::int64_t>& group) const;
};

// The groups of a collective. nullopt if the text has none, which means the same as `{}`.
std::optional<ReplicaGroups> replica_groups(InstructionView instruction);

// The source and target of each message of a collective-permute. For a send or recv that XLA made from a permute, the
// pairs in its frontend attribute, or else an empty list.
std::vector<std::pair<std::int64_t, std::int64_t>> source_target_pairs(InstructionView instruction);

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

  bool has_mesh = false;  // written with a mesh, of which only kNamed uses the axes
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

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_ATTRIBUTES_H_
