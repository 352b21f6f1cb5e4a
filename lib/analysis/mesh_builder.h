// Puts the axes of a mesh together from the groups of devices a program uses.
#ifndef HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_
#define HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hloroof/mesh.h"
#include "lib/analysis/grid.h"

namespace hloroof::inline v0 {

// The axes of a mesh of N devices are the gaps in a chain 1 | c1 | c2 | ... | N of strides, each dividing the next: an
// axis of size n and stride s is there when both s and s * n are in the chain. So every grid of groups adds its
// strides, and what does not divide is no axis of the same mesh.
class MeshBuilder {
 public:
  explicit MeshBuilder(std::int64_t device_count);

  // Adds the strides of a grid. False, and nothing is added, if they do not divide those already there.
  bool add(const Grid& grid);

  // The axes, outermost first; names left empty.
  std::vector<MeshAxis> axes() const;

 private:
  std::int64_t device_count_;
  std::set<std::int64_t> strides_;
};

// The axes of a named mesh, outermost first, as strides; sizes of one left out. Empty if the sizes do not multiply to
// `device_count`.
std::vector<std::pair<std::string, GridAxis>> named_axes(const std::vector<std::pair<std::string, std::int64_t>>& axes,
                                                         std::int64_t device_count);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_
