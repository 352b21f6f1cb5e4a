// Infers the roles of mesh axes.
#ifndef HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_
#define HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_

#include <cstdint>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// The maximum number of elements of losses, norms and their scales.
inline constexpr std::int64_t kSmallArray = 1 << 14;

// Sets `roles`, `why` and `bytes` of the mesh's axes from the collectives along them, weighted by bytes and executions.
//   weights gathered, gradients scattered                          FSDP
//   gradients or scalars reduced                                   data
//   activations reduced, gathered or scattered                     tensor
//   all-to-all of activations                                      expert
//   a loop passes blocks round a ring, one round per device        sequence (ring attention)
//   passed along a chain, or round a ring more often than that     pipeline
// Whether an array is a weight, a gradient or an activation follows from where it comes from and where it goes; see
// provenance.h. An axis of which that does not decide gets no role.
// Returns the role that each collective implies for its axes: FSDP if it gathers weights, and so on.
std::vector<AxisRole> assign_roles(const Module& module, const CallGraph& calls,
                                   const std::vector<Collective>& collectives, LogicalMesh& mesh);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_AXIS_ROLES_H_
