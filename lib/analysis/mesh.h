// The roles of mesh axes, and the mapping of a mesh to the axes of a machine.
#ifndef HLOROOF_LIB_ANALYSIS_MESH_H_
#define HLOROOF_LIB_ANALYSIS_MESH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "hloroof/shape.h"

namespace hloroof::internal::inline analysis {

std::string_view group_mode_name(GroupMode mode);  // XLA's name, such as "cross_replica"

std::string_view axis_role_name(AxisRole role);  // "data", "FSDP", "tensor", ...

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

  friend bool operator==(const AxisPiece&, const AxisPiece&) = default;
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

// Parses a device order: comma-separated ids, "0,2,1,3", or the iota form of replica groups, "[1,8]<=[2,4]T(1,0)".
// Errors: InvalidArgument if it is neither or names more than 2^20 devices.
absl::StatusOr<std::vector<std::int64_t>> parse_device_order(std::string_view text);

// Parses "data=4,model=2". Errors: InvalidArgument.
absl::StatusOr<std::vector<std::pair<std::string, std::int64_t>>> parse_mesh(std::string_view text);

// A mesh with these axes, outermost first, in place of the inferred ones. The second form also infers the roles of the
// new axes. Errors: InvalidArgument if the product of the sizes is not the mesh's device count.
absl::StatusOr<LogicalMesh> override_mesh(const LogicalMesh& mesh,
                                          const std::vector<std::pair<std::string, std::int64_t>>& axes);

// Makes `mesh`, that of a program of one slice, the mesh of `slices` copies of it: adds the axis "slices".
void copy_to_slices(std::int64_t slices, LogicalMesh& mesh);

// Maps the mesh to the machine as mesh builders do. From the innermost axis outwards, each mesh axis takes whole
// physical axes whose sizes multiply to its size, preferring more axes, and parts of axes if there are none. Slices and
// nodes go to the outermost axes. A device order overrides this; if the devices of a mesh axis are then not regularly
// spaced on the machine, the mapping is unaligned. Errors: InvalidArgument if the topology has fewer devices than the
// mesh, if `options.order` names an unknown axis, or if the device order is not a permutation of the mesh's devices.
absl::StatusOr<PhysicalMapping> map_mesh(const LogicalMesh& mesh, const Device& device, const Topology& topology,
                                         const MeshOptions& options = {});

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_MESH_H_
