// What the axes of a mesh are used for.
#ifndef HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_
#define HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/mesh.h"
#include "hloroof/module.h"

namespace hloroof::inline v0 {

// Elements of an array: losses, norms and their scales are at most this long.
inline constexpr std::int64_t kSmallArray = 1 << 14;

// Sets roles, why and bytes of the mesh's axes from what `collectives` exchange along them, weighed by bytes and by how
// often they run.
//   weights gathered, gradients scattered                       FSDP
//   gradients or scalars reduced                                data
//   activations reduced, gathered or scattered                  tensor
//   all-to-all of activations                                   expert
//   a loop passes blocks round a ring, a round for each device  sequence (ring attention)
//   passed along a chain, or round in more rounds than devices  pipeline
// What is a weight or a gradient is told by its dimensions: those of a parameter that the entry returns, or one layer
// of it.
void assign_roles(const Module& module, const CallGraph& calls, const std::vector<Collective>& collectives,
                  LogicalMesh& mesh);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_
