// The places on the machine that the devices of a collective's groups may have.
//
// A text numbers its devices by their position in the program's mesh, and does not say which chip has which number. The
// mapping assumes what mesh builders do by default. They can also be told to split the axes of the torus, so that a
// group lies on a square instead of a line.
#ifndef HLOROOF_LIB_TIME_PLACEMENTS_H_
#define HLOROOF_LIB_TIME_PLACEMENTS_H_

#include <string>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline time {

struct GroupPlacement {
  std::string on;      // "x (ring)", "y (4 of 16) and x (4 of 16)"
  double seconds = 0;  // of one execution
};

// The other placements, the fastest first: boxes of neighbouring chips whose shape
// differs from the mapped one. Boxes that differ only in the names of equal axes count once. Empty if the groups do not
// follow the axes of the mesh, cross slices or nodes, or are permutations.
std::vector<GroupPlacement> other_placements(const Collective& collective, const LogicalMesh& mesh,
                                             const PhysicalMapping& mapping, const Device& device,
                                             const CollectiveOptions& options = {});

// The placement that the mapping has, with the time of the prediction.
GroupPlacement mapped_placement(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                                const Device& device, const CollectiveOptions& options = {});

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_PLACEMENTS_H_
