// Determines which pieces of a machine's axes close to rings.
#ifndef HLOROOF_LIB_ANALYSIS_RINGS_H_
#define HLOROOF_LIB_ANALYSIS_RINGS_H_

#include <vector>

#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline analysis {

// Sets `wraps` of the pieces that one group of devices spans. A whole axis that wraps is a ring. The wraparound links
// of a shorter axis of a twisted torus return half-way along the longer axes, so that axis alone is a line. It closes
// only for a group that also spans all longer axes.
void close_rings(const std::vector<PhysicalAxis>& physical, std::vector<AxisPiece>& pieces);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_RINGS_H_
