// A device order given by the user: which device of the text stands where on the machine.
#ifndef HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_
#define HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

// Sets pieces, position and aligned of a mapping whose physical axes are known. An axis of the mesh becomes stretches
// of the machine if its devices stand in a box of evenly spaced places, and in the same one, shifted, wherever the axis
// begins. Errors: InvalidArgument if `order` is not one place for each device of the mesh.
absl::Status place_in_order(const std::vector<std::int64_t>& order, const LogicalMesh& mesh, PhysicalMapping& mapping);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_DEVICE_ORDER_H_
