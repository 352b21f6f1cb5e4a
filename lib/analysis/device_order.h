// Applies a device order from the user, which assigns each device of the text a position on the machine.
#ifndef HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_
#define HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/analysis.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline analysis {

// Sets `pieces`, `position` and `aligned` of a mapping whose physical axes are known. A mesh axis maps to pieces of
// machine axes if its devices form a box of regularly spaced positions, which is the same except for a shift for every
// group of the axis. Errors: InvalidArgument if `order` does not have one position for each device of the mesh.
absl::Status place_in_order(const std::vector<std::int64_t>& order, const LogicalMesh& mesh, PhysicalMapping& mapping);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_
