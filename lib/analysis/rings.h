// Which stretches of a machine's axes close to rings.
#ifndef HLOROOF_LIB_ANALYSIS_RINGS_H_
#define HLOROOF_LIB_ANALYSIS_RINGS_H_

#include <vector>

#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

// Sets `wraps` of the pieces that one group of devices spans. A whole axis that wraps is a ring. Where the torus is
// twisted, who leaves a shorter axis at its end comes back half-way along the longer ones: on its own it is a line, and
// closes only for a group that spans all of the longer axes as well.
void close_rings(const std::vector<PhysicalAxis>& physical, std::vector<AxisPiece>& pieces);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_RINGS_H_
