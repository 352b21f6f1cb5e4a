// Builds the axes of a mesh from groups of devices.
#ifndef HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_
#define HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_

#include <cstdint>
#include <set>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/analysis/grid.h"

namespace hloroof::internal::inline analysis {

// The axes of a mesh of N devices correspond to a chain 1 | c1 | c2 | ... | N of strides, each of which divides the
// next. Consecutive strides s and s * n define an axis of size n and stride s. Each grid of groups adds its strides to
// the chain. A grid whose strides do not divide those of the chain does not belong to the same mesh.
class MeshBuilder {
 public:
  explicit MeshBuilder(std::int64_t device_count);

  // Adds the strides of a grid. Returns false without adding any if they do not fit into the chain.
  bool add(const Grid& grid);

  // The axes without names, outermost first.
  std::vector<MeshAxis> axes() const;

 private:
  std::int64_t device_count_;
  std::set<std::int64_t> strides_;
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_MESH_BUILDER_H_
