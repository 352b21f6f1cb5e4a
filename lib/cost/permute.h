// Permutations on a torus: every pair's route, and the link that carries the most.
#ifndef HLOROOF_LIB_COST_PERMUTE_H_
#define HLOROOF_LIB_COST_PERMUTE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/mesh.h"
#include "lib/cost/torus.h"

namespace hloroof::inline v0 {

// The time of sending `bytes` from the source to the target of every pair at once. `axes` are the machine's, as
// PhysicalMapping::physical, with their bandwidths; a device is found there by the mesh and the mapping.
//
// A message goes the shorter way round a ring, and the shortest way through a twisted torus. Where source and target
// differ on d axes it is cut in d parts that take the axes in different orders, so that a lone message between two
// corners uses d paths. Messages are cut through: bytes pass the busiest link once, and hops add their latency.
TorusCost permute_cost(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const LogicalMesh& mesh,
                       const PhysicalMapping& mapping, const std::vector<TorusAxis>& axes, double bytes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_PERMUTE_H_
