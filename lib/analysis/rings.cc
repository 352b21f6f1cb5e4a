#include "lib/analysis/rings.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline analysis {

void close_rings(const std::vector<PhysicalAxis>& physical, std::vector<AxisPiece>& pieces) {
  const auto spans = [&](std::size_t axis) {
    return std::any_of(pieces.begin(), pieces.end(), [&](const AxisPiece& piece) {
      return piece.physical == static_cast<int>(axis) && piece.size == physical[axis].size;
    });
  };
  bool spans_longer = true;
  for (std::size_t k = 0; k < physical.size(); ++k) {
    const bool longer = physical[k].wraps && !physical[k].twisted;
    if (longer && !spans(k)) spans_longer = false;
  }
  for (AxisPiece& piece : pieces) {
    const PhysicalAxis& axis = physical[piece.physical];
    piece.wraps = axis.wraps && piece.size == axis.size && (!axis.twisted || spans_longer);
  }
}

}  // namespace hloroof::internal::inline analysis
