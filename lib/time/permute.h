// Permutations on a torus: the route of every pair, and the link that carries the most bytes.
#ifndef HLOROOF_LIB_TIME_PERMUTE_H_
#define HLOROOF_LIB_TIME_PERMUTE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/analysis/mesh.h"
#include "lib/time/torus.h"

namespace hloroof::internal::inline time {

// The time to send `bytes` from the source to the target of every pair at once. `axes` are the axes of the machine, as
// in PhysicalMapping::physical, with their bandwidths. The mesh and the mapping give the position of a device on them.
//
// A message takes the shorter direction around a ring, and the shortest path through a twisted torus. If source and
// target differ on d axes, the message is cut into d parts that take the axes in different orders, so that a lone
// message between two corners uses d paths. Routing is cut-through: bytes pass the busiest link once, and each hop adds
// its latency.
template <class Num>
TorusCostOf<Num> permute_cost(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const LogicalMesh& mesh,
                              const PhysicalMapping& mapping, const std::vector<TorusAxisOf<Num>>& axes, double bytes);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_PERMUTE_H_
