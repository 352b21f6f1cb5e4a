#include "lib/time/permute.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/analysis/mesh.h"

namespace hloroof::internal::inline time {
namespace {

constexpr std::int64_t kMaxHops = 1 << 21;  // limit on walked hops; the pairs walked until then represent all

using Position = absl::InlinedVector<std::int64_t, 4>;  // along each axis of the machine

// The position of a device: the digits of its id along the mesh axes, and the digits of those along the pieces. A mesh
// axis over several open axes of the machine winds through them like a snake, as mesh builders number it. Neighbours on
// the mesh axis are therefore neighbours on the machine.
Position position_of(std::int64_t device, const LogicalMesh& mesh, const PhysicalMapping& mapping) {
  Position position(mapping.physical.size(), 0);
  if (device < static_cast<std::int64_t>(mapping.position.size())) {
    std::int64_t place = mapping.position[device];
    for (std::size_t k = mapping.physical.size(); k-- > 0;) {
      position[k] = place % mapping.physical[k].size;
      place /= mapping.physical[k].size;
    }
    return position;
  }
  for (std::size_t i = 0; i < mesh.axes.size() && i < mapping.pieces.size(); ++i) {
    const std::vector<AxisPiece>& pieces = mapping.pieces[i];
    const bool snake = std::none_of(pieces.begin(), pieces.end(), [](const AxisPiece& p) { return p.wraps; });
    std::int64_t number = device / mesh.axes[i].stride % mesh.axes[i].size;
    for (std::size_t k = pieces.size(); k-- > 0;) {
      std::int64_t digit = number % pieces[k].size;
      number /= pieces[k].size;
      if (snake && number % 2 == 1) digit = pieces[k].size - 1 - digit;  // every second row runs in reverse
      position[pieces[k].physical] += digit * pieces[k].stride;
    }
  }
  return position;
}

// Steps from `from` to `to` on one axis, negative downwards. An axis that is not a torus takes at most one step.
std::int64_t steps_between(std::int64_t from, std::int64_t to, const TorusAxis& axis) {
  std::int64_t steps = to - from;
  if (axis.link != LinkKind::kIci) return steps == 0 ? 0 : 1;
  if (axis.wraps) {
    if (steps > axis.size / 2) steps -= axis.size;
    if (steps < -axis.size / 2) steps += axis.size;
  }
  return steps;
}

bool is_longer_ring(const TorusAxis& axis) { return axis.link == LinkKind::kIci && axis.wraps && !axis.twisted; }

// Moves a position as a message moves that leaves a twisted axis at its end: half-way along all longer axes.
void come_back_half_way(Position& position, const std::vector<TorusAxis>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (is_longer_ring(axes[i])) position[i] = (position[i] + axes[i].size / 2) % axes[i].size;
  }
}

// The fewest steps along each axis from one position to another. A twisted torus leaves a choice: on each twisted axis
// a message may go straight to its target, or leave the axis at its end.
Position shortest_steps(const Position& from, const Position& to, const std::vector<TorusAxis>& axes) {
  std::vector<std::size_t> twisted;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].twisted) twisted.push_back(i);
  }
  Position best;
  std::int64_t fewest = 0;
  for (unsigned leaves = 0; leaves < (1U << twisted.size()); ++leaves) {
    Position start = from;  // the start as seen after the message re-enters
    for (std::size_t t = 0; t < twisted.size(); ++t) {
      if ((leaves >> t & 1U) != 0) come_back_half_way(start, axes);
    }
    Position steps(axes.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      steps[i] = axes[i].twisted ? to[i] - start[i] : steps_between(start[i], to[i], axes[i]);
    }
    for (std::size_t t = 0; t < twisted.size(); ++t) {
      std::int64_t& along = steps[twisted[t]];
      if ((leaves >> t & 1U) != 0) along += along > 0 ? -axes[twisted[t]].size : axes[twisted[t]].size;
    }
    std::int64_t total = 0;
    for (const std::int64_t count : steps) total += std::abs(count);
    if (best.empty() || total < fewest) {
      best = std::move(steps);
      fewest = total;
    }
  }
  return best;
}

// The link that takes the longest, of the axis at position `axis`.
struct BusiestLink {
  std::size_t axis = 0;
  double bytes = 0;
  double seconds = 0;
};

class LinkLoads {
 public:
  explicit LinkLoads(const std::vector<TorusAxis>& axes) : axes_(axes) {}

  // Sends `part` of a message from `position` along `axis` by `steps`, and moves the position.
  void walk(Position& position, std::size_t axis, std::int64_t steps, std::int64_t target, double part) {
    if (axes_[axis].link != LinkKind::kIci) {
      add(position, axis, true, part);
      position[axis] = target;
      return;
    }
    const std::int64_t size = axes_[axis].size;
    for (std::int64_t i = 0; i < std::abs(steps); ++i) {
      add(position, axis, steps > 0, part);
      const std::int64_t before = position[axis];
      position[axis] = (before + (steps > 0 ? 1 : size - 1)) % size;
      if (axes_[axis].twisted && std::abs(position[axis] - before) > 1) come_back_half_way(position, axes_);
    }
  }

  // The busiest link for messages of `bytes`.
  BusiestLink busiest(double bytes) const {
    BusiestLink found;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const double link = most_[axis] * bytes;
      const double seconds = axes_[axis].bandwidth > 0 ? link / axes_[axis].bandwidth : 0;
      if (seconds > found.seconds) found = {axis, link, seconds};
    }
    return found;
  }

 private:
  void add(const Position& position, std::size_t axis, bool upwards, double part) {
    std::uint64_t node = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      node = node * static_cast<std::uint64_t>(axes_[i].size) + static_cast<std::uint64_t>(position[i]);
    }
    double& load = loads_[(node * axes_.size() + axis) * 2 + (upwards ? 1 : 0)];
    load += part;
    most_[axis] = std::max(most_[axis], load);
  }

  const std::vector<TorusAxis>& axes_;
  std::unordered_map<std::uint64_t, double> loads_;
  std::vector<double> most_ = std::vector<double>(axes_.size(), 0);
};

const std::vector<TorusAxis>& values_of(const std::vector<TorusAxis>& axes) { return axes; }
std::vector<TorusAxis> values_of(const std::vector<TorusAxisOf<Traced>>& axes) {
  std::vector<TorusAxis> values;
  values.reserve(axes.size());
  for (const TorusAxisOf<Traced>& axis : axes) {
    values.push_back({axis.size, axis.wraps, value(axis.bandwidth), value(axis.hop_latency), axis.link, axis.twisted});
  }
  return values;
}

}  // namespace

template <class Num>
TorusCostOf<Num> permute_cost(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const LogicalMesh& mesh,
                              const PhysicalMapping& mapping, const std::vector<TorusAxisOf<Num>>& traced_axes,
                              double bytes) {
  const std::vector<TorusAxis>& axes = values_of(traced_axes);
  LinkLoads loads(axes);
  double latency = 0;
  Position farthest;  // steps along each axis for the message with the longest route
  std::int64_t walked = 0;
  bool sends = false;
  for (const auto& [source, target] : pairs) {
    if (source == target || source < 0 || target < 0 || walked > kMaxHops) continue;
    const Position from = position_of(source, mesh, mapping);
    const Position to = position_of(target, mesh, mapping);
    const Position steps = shortest_steps(from, to, axes);
    std::vector<std::size_t> differing;
    double hops = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (steps[i] == 0) continue;
      differing.push_back(i);
      hops += static_cast<double>(std::abs(steps[i])) * axes[i].hop_latency;
      walked += std::abs(steps[i]);
    }
    if (differing.empty()) continue;
    sends = true;
    if (hops > latency) {
      latency = hops;
      farthest = steps;
    }
    const double part = 1.0 / static_cast<double>(differing.size());
    for (std::size_t first = 0; first < differing.size(); ++first) {
      Position at = from;
      for (std::size_t k = 0; k < differing.size(); ++k) {
        const std::size_t axis = differing[(first + k) % differing.size()];
        loads.walk(at, axis, steps[axis], to[axis], part);
      }
    }
  }
  TorusCostOf<Num> cost;
  if (const BusiestLink busiest = loads.busiest(bytes); busiest.seconds > 0) {
    const TorusAxisOf<Num>& axis = traced_axes[busiest.axis];
    cost.link = axis.link;
    cost.link_bytes = busiest.bytes;
    cost.link_seconds = busiest.seconds;
    cost.seconds = link_seconds(axis.link, axis.size, axis.wraps, busiest.bytes, axis.bandwidth);
  }
  for (std::size_t i = 0; i < farthest.size(); ++i) {
    if (farthest[i] == 0 || axes[i].hop_latency <= 0) continue;
    const auto count = static_cast<double>(std::abs(farthest[i]));
    cost.hop_seconds = sum("", cost.hop_seconds, hop_seconds(axes[i].link, count, traced_axes[i].hop_latency));
  }
  cost.wire_bytes = sends ? bytes : 0;
  cost.algorithm = sends ? "direct sends, shortest way" : "no communication";
  return cost;
}

template TorusCost permute_cost(const std::vector<std::pair<std::int64_t, std::int64_t>>&, const LogicalMesh&,
                                const PhysicalMapping&, const std::vector<TorusAxis>&, double);
template TorusCostOf<Traced> permute_cost(const std::vector<std::pair<std::int64_t, std::int64_t>>&, const LogicalMesh&,
                                          const PhysicalMapping&, const std::vector<TorusAxisOf<Traced>>&, double);

}  // namespace hloroof::internal::inline time
