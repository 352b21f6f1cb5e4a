#include "lib/time/placements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "lib/analysis/collectives.h"
#include "lib/analysis/rings.h"
#include "lib/time/collective.h"

namespace hloroof::internal::inline time {
namespace {

constexpr std::size_t kMostBoxes = 4096;

// The number of chips along each physical axis.
using Box = std::vector<std::int64_t>;

// What decides the time of a box: extent, size of the axis, whether it wraps, kind of link; in any order of the axes.
using Signature = std::multiset<std::tuple<std::int64_t, std::int64_t, bool, LinkKind>>;

Signature signature_of(const Box& box, const std::vector<PhysicalAxis>& physical) {
  Signature result;
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (box[i] > 1) result.emplace(box[i], physical[i].size, physical[i].wraps, physical[i].link);
  }
  return result;
}

// All boxes of `size` devices whose extents divide the axes.
std::vector<Box> boxes_of(std::int64_t size, const std::vector<PhysicalAxis>& physical) {
  std::vector<std::pair<Box, std::int64_t>> open = {{{}, size}};  // with what is left to place
  for (const PhysicalAxis& axis : physical) {
    std::vector<std::pair<Box, std::int64_t>> next;
    for (const auto& [box, left] : open) {
      for (std::int64_t extent = 1; extent <= std::min(axis.size, left); ++extent) {
        if (axis.size % extent != 0 || left % extent != 0 || next.size() >= kMostBoxes) continue;
        next.emplace_back(box, left / extent);
        next.back().first.push_back(extent);
      }
    }
    open = std::move(next);
  }
  std::vector<Box> result;
  for (auto& [box, left] : open) {
    if (left == 1) result.push_back(std::move(box));
  }
  return result;
}

// The mapping with the spanned axes laid on a box. The first of them gets all pieces.
PhysicalMapping laid_on(const Box& box, const std::vector<int>& spanned, const PhysicalMapping& mapping) {
  PhysicalMapping result = mapping;
  result.position.clear();
  for (const int axis : spanned) result.pieces[axis].clear();
  std::vector<AxisPiece>& pieces = result.pieces[spanned.front()];
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (box[i] > 1) pieces.push_back({static_cast<int>(i), box[i], 1, false});
  }
  close_rings(result.physical, pieces);
  return result;
}

// The mesh axes that the groups span; empty if placements cannot be told.
std::vector<int> placed_axes(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                             const Device& device) {
  if (device.ici.dims == 0 || !collective.groups.regular || !mapping.aligned || is_permutation(collective)) return {};
  std::vector<int> spanned = spanned_axes(mesh, collective.groups);
  for (const int axis : spanned) {
    if (static_cast<std::size_t>(axis) >= mapping.pieces.size()) return {};
    for (const AxisPiece& piece : mapping.pieces[axis]) {
      if (mapping.physical[piece.physical].link == LinkKind::kDcn) return {};
    }
  }
  return spanned;
}

}  // namespace

GroupPlacement mapped_placement(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                                const Device& device, const CollectiveOptions& options) {
  PhysicalMapping joined = mapping;
  const std::vector<int> spanned = spanned_axes(mesh, collective.groups);
  std::vector<AxisPiece> pieces;
  for (const int axis : spanned) {
    pieces.insert(pieces.end(), mapping.pieces[axis].begin(), mapping.pieces[axis].end());
  }
  joined.pieces.assign(1, pieces);
  return {joined.placement(0), collective_cost(collective, mesh, mapping, device, options).seconds};
}

std::vector<GroupPlacement> other_placements(const Collective& collective, const LogicalMesh& mesh,
                                             const PhysicalMapping& mapping, const Device& device,
                                             const CollectiveOptions& options) {
  const std::vector<int> spanned = placed_axes(collective, mesh, mapping, device);
  std::vector<GroupPlacement> result;
  if (spanned.empty()) return result;
  std::vector<PhysicalAxis> physical = mapping.physical;
  for (PhysicalAxis& axis : physical) {
    if (axis.link == LinkKind::kDcn) axis.size = 1;  // a group stays inside its slice
  }
  Box mapped(physical.size(), 1);
  for (const int axis : spanned) {
    for (const AxisPiece& piece : mapping.pieces[axis]) mapped[piece.physical] *= piece.size;
  }
  std::set<Signature> seen = {signature_of(mapped, physical)};
  for (const Box& box : boxes_of(collective.groups.group_size, physical)) {
    if (!seen.insert(signature_of(box, physical)).second) continue;
    const PhysicalMapping laid = laid_on(box, spanned, mapping);
    result.push_back({laid.placement(static_cast<std::size_t>(spanned.front())),
                      collective_cost(collective, mesh, laid, device, options).seconds});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const GroupPlacement& a, const GroupPlacement& b) { return a.seconds < b.seconds; });
  return result;
}

}  // namespace hloroof::internal::inline time
