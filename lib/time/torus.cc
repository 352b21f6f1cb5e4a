#include "lib/time/torus.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hloroof::internal::inline time {
namespace {

// Bytes a second that a member receives along the axis in a gather.
template <class Num>
Num gather_rate(const TorusAxisOf<Num>& axis) {
  return axis.wraps ? axis.bandwidth * 2.0 : axis.bandwidth;
}

template <class Num>
double gather_hops(const TorusAxisOf<Num>& axis) {
  const auto hops = axis.wraps ? axis.size / 2 : axis.size - 1;
  return static_cast<double>(hops);
}

template <class Num>
std::vector<TorusAxisOf<Num>> longer_than_one(const std::vector<TorusAxisOf<Num>>& axes) {
  std::vector<TorusAxisOf<Num>> result;
  for (const TorusAxisOf<Num>& axis : axes) {
    if (axis.size > 1) result.push_back(axis);
  }
  return result;
}

template <class Num>
void add_hops(TorusCostOf<Num>& cost, const TorusAxisOf<Num>& axis, double count) {
  if (count * value(axis.hop_latency) <= 0) return;
  cost.hop_seconds = sum("", cost.hop_seconds, hop_seconds(axis.link, count, axis.hop_latency));
}

// Records `axis` as the busiest link if carrying `bytes` over its link takes longer than on any link so far.
template <class Num>
void note_link(TorusCostOf<Num>& cost, const TorusAxisOf<Num>& axis, double bytes) {
  const double seconds = bytes / value(axis.bandwidth);
  if (seconds <= cost.link_seconds) return;
  cost.link_seconds = seconds;
  cost.link_bytes = bytes;
  cost.link = axis.link;
}

// Adds the bytes over the links of `axis`, which carries them while the other axes carry theirs.
template <class Num>
void add_at_once(TorusCostOf<Num>& cost, const TorusAxisOf<Num>& axis, double bytes) {
  cost.seconds = slowest("bytes over all axes at once", cost.seconds,
                         link_seconds(axis.link, axis.size, axis.wraps, bytes, axis.bandwidth));
  add_hops(cost, axis, gather_hops(axis));
  note_link(cost, axis, bytes);
}

template <class Num>
bool is_twisted(const std::vector<TorusAxisOf<Num>>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.twisted; });
}

// The axes among those of a group that form a twisted torus: shorter ones of k chips, and longer ones of 2k.
template <class Num>
std::vector<TorusAxisOf<Num>> twisted_part(const std::vector<TorusAxisOf<Num>>& axes) {
  std::vector<TorusAxisOf<Num>> result;
  if (!is_twisted(axes)) return result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result), [](const TorusAxisOf<Num>& a) { return a.wraps; });
  return result;
}

// The average number of hops from a device to all devices of a twisted torus, itself included. Its chips are a lattice
// modulo another lattice: k x k x 2k modulo the face-centred cubic lattice, k x 2k x 2k modulo the body-centred one.
// The sums over all chips, for even k, are those of Camara et al., "Twisted torus topologies for enhanced
// interconnection networks" (2010) and "Lattice graphs for high-scale interconnection topologies" (2013).
template <class Num>
double twisted_average_distance(const std::vector<TorusAxisOf<Num>>& axes) {
  const auto shorter = std::count_if(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.twisted; });
  double k = 0;
  double devices = 1;
  for (const TorusAxisOf<Num>& axis : axes) {
    if (axis.twisted) k = static_cast<double>(axis.size);
    devices *= static_cast<double>(axis.size);
  }
  const double k2 = k * k;
  if (axes.size() == 2) return k * (4 * k2 - 1) / 3 / devices;
  return shorter == 2 ? k2 * (7 * k2 - 2) / 4 / devices : k2 * (35 * k2 - 8) / 8 / devices;
}

// An exchange among all pairs of a twisted torus. The farthest device is half of a shorter axis away along each axis.
template <class Num>
TorusCostOf<Num> twisted_exchange_cost(const std::vector<TorusAxisOf<Num>>& axes, double bytes) {
  TorusCostOf<Num> cost;
  const auto shortest = std::min_element(
      axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a, const TorusAxisOf<Num>& b) { return a.size < b.size; });
  add_hops(cost, *shortest, static_cast<double>(axes.size()) * gather_hops(*shortest));
  note_link(cost, axes[0], bytes * twisted_average_distance(axes) / (2.0 * static_cast<double>(axes.size())));
  cost.seconds = link_seconds(axes[0].link, axes[0].size, true, cost.link_bytes, axes[0].bandwidth);
  return cost;
}

// A gather on all axes at once. The array is cut into one part for each axis, and part c goes through axes c, c+1, ...
// in turn. A phase ends when its slowest part ends.
template <class Num>
TorusCostOf<Num> gather_on_all_axes(const std::vector<TorusAxisOf<Num>>& axes, double bytes) {
  TorusCostOf<Num> cost;
  const std::size_t n = axes.size();
  double devices = 1;
  for (const TorusAxisOf<Num>& axis : axes) devices *= static_cast<double>(axis.size);
  // The ring of a part in each phase: its current axis, or on a twisted torus the longest remaining ring.
  std::vector<std::int64_t> longest_first;
  if (is_twisted(axes)) {
    for (const TorusAxisOf<Num>& axis : axes) longest_first.push_back(axis.size);
    std::sort(longest_first.rbegin(), longest_first.rend());
  }
  std::vector<double> gathered(n, bytes / static_cast<double>(n) / devices);  // of each part
  std::vector<double> carried(n, 0);                                          // by each axis
  for (std::size_t phase = 0; phase < n; ++phase) {
    Num longest = 0.0;
    for (std::size_t part = 0; part < n; ++part) {
      const TorusAxisOf<Num>& axis = axes[(part + phase) % n];
      const std::int64_t ring = longest_first.empty() ? axis.size : longest_first[phase];
      const double received = gathered[part] * static_cast<double>(ring - 1);
      const Num seconds = link_seconds(axis.link, ring, axis.wraps, received, gather_rate(axis));
      if (value(seconds) > value(longest)) longest = seconds;
      carried[(part + phase) % n] += received;
      gathered[part] += received;
    }
    cost.seconds = sum("", cost.seconds, longest);
  }
  for (std::size_t i = 0; i < n; ++i) {
    add_hops(cost, axes[i], gather_hops(axes[i]));
    cost.wire_bytes += carried[i];
    note_link(cost, axes[i], axes[i].wraps ? carried[i] / 2 : carried[i]);
  }
  return cost;
}

const char* link_name(LinkKind link) {
  switch (link) {
    case LinkKind::kIci: return "ICI";
    case LinkKind::kDieToDie: return "die-to-die link";
    case LinkKind::kScaleUp: return "scale-up link";
    case LinkKind::kDcn:
    case LinkKind::kNetwork: return "network";
  }
  return "link";
}

}  // namespace

template <class Num>
Num link_seconds(LinkKind link, std::int64_t size, bool wraps, double bytes, const Num& rate) {
  if constexpr (std::same_as<Num, double>) {
    return bytes / rate;
  } else {
    Term term;
    term.name = absl::StrCat("bytes over ", link_name(link));
    term.seconds = term.amount = bytes;
    term.unit = "B";
    if (size > 1) term.note = absl::StrFormat("%s of %d", wraps ? "ring" : "line", size);
    return Traced(std::move(term)) / rate;
  }
}
template double link_seconds(LinkKind, std::int64_t, bool, double, const double&);
template Traced link_seconds(LinkKind, std::int64_t, bool, double, const Traced&);

template <class Num>
Num hop_seconds(LinkKind link, double count, const Num& latency) {
  if constexpr (std::same_as<Num, double>) {
    return count * latency;
  } else {
    Term term;
    term.name = absl::StrCat("hops over ", link_name(link));
    term.seconds = term.amount = count;
    term.unit = "hop";
    return Traced(std::move(term)) * latency;
  }
}
template double hop_seconds(LinkKind, double, const double&);
template Traced hop_seconds(LinkKind, double, const Traced&);

// A gather on a ring through the chips of all axes, in both directions.
template <class Num>
TorusCostOf<Num> gather_on_one_ring(const std::vector<TorusAxisOf<Num>>& axes, double bytes) {
  TorusAxisOf<Num> ring = axes[0];
  ring.wraps = true;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    ring.size *= axes[i].size;
    if (value(axes[i].bandwidth) < value(ring.bandwidth)) ring.bandwidth = axes[i].bandwidth;
    if (value(axes[i].hop_latency) > value(ring.hop_latency)) ring.hop_latency = axes[i].hop_latency;
  }
  TorusCostOf<Num> cost = gather_cost(std::vector<TorusAxisOf<Num>>{ring}, bytes);
  cost.algorithm = absl::StrCat("one ring through ", axes.size(), " axes, both directions");
  return cost;
}

template <class Num>
TorusCostOf<Num> gather_cost(const std::vector<TorusAxisOf<Num>>& all_axes, double bytes, bool in_one_ring) {
  std::vector<TorusAxisOf<Num>> axes = longer_than_one(all_axes);
  if (axes.empty()) {
    TorusCostOf<Num> cost;
    cost.algorithm = "no communication";
    return cost;
  }
  const bool rings = std::all_of(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.wraps; });
  if (rings && axes.size() > 1) {
    if (in_one_ring) return gather_on_one_ring(axes, bytes);
    TorusCostOf<Num> cost = gather_on_all_axes(axes, bytes);
    cost.algorithm = absl::StrCat(is_twisted(axes) ? "twisted rings" : "rings", " over ", axes.size(),
                                  " axes at once, both directions");
    return cost;
  }
  std::stable_sort(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a, const TorusAxisOf<Num>& b) {
    return value(gather_rate(a)) < value(gather_rate(b));
  });
  TorusCostOf<Num> cost;
  double gathered = bytes;
  for (const TorusAxisOf<Num>& axis : axes) gathered /= static_cast<double>(axis.size);
  for (const TorusAxisOf<Num>& axis : axes) {
    const double received = gathered * static_cast<double>(axis.size - 1);
    cost.seconds = sum("", cost.seconds, link_seconds(axis.link, axis.size, axis.wraps, received, gather_rate(axis)));
    add_hops(cost, axis, gather_hops(axis));
    cost.wire_bytes += received;
    note_link(cost, axis, axis.wraps ? received / 2 : received);
    gathered += received;
  }
  if (axes.size() == 1) {
    cost.algorithm = axes[0].wraps ? "ring, both directions" : "line";
  } else {
    cost.algorithm = absl::StrCat("lines and rings, one axis after another over ", axes.size(), " axes");
    if (std::none_of(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.wraps; })) {
      cost.algorithm = absl::StrCat("lines, one axis after another over ", axes.size(), " axes");
    }
  }
  return cost;
}

template <class Num>
TorusCostOf<Num> all_reduce_half_cost(const std::vector<TorusAxisOf<Num>>& all_axes, double bytes) {
  const std::vector<TorusAxisOf<Num>> axes = longer_than_one(all_axes);
  TorusCostOf<Num> best = gather_cost(axes, bytes);
  if (axes.size() < 2 || std::all_of(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.wraps; }))
    return best;
  const auto offer = [&best](const TorusCostOf<Num>& cost) {
    if (value(cost.seconds) + value(cost.hop_seconds) < value(best.seconds) + value(best.hop_seconds)) best = cost;
  };
  if (std::any_of(axes.begin(), axes.end(), [](const TorusAxisOf<Num>& a) { return a.size % 2 == 0; })) {
    offer(gather_on_one_ring(axes, bytes));
  }
  TorusCostOf<Num> cost = gather_on_all_axes(axes, bytes);
  cost.algorithm = absl::StrCat("lines and rings over ", axes.size(), " axes at once");
  offer(cost);
  return best;
}

template <class Num>
TorusCostOf<Num> exchange_cost(const std::vector<TorusAxisOf<Num>>& all_axes, double bytes) {
  const std::vector<TorusAxisOf<Num>> axes = longer_than_one(all_axes);
  TorusCostOf<Num> cost;
  cost.algorithm = axes.empty()
                       ? "no communication"
                       : absl::StrCat("all pairs over ", axes.size(), axes.size() == 1 ? " axis" : " axes at once");
  double devices = 1;
  for (const TorusAxisOf<Num>& axis : axes) devices *= static_cast<double>(axis.size);
  const std::vector<TorusAxisOf<Num>> twisted = twisted_part(axes);
  if (!twisted.empty()) {
    const std::string algorithm = absl::StrCat(cost.algorithm, ", twisted");
    cost = twisted_exchange_cost(twisted, bytes);
    cost.algorithm = algorithm;
  }
  for (const TorusAxisOf<Num>& axis : axes) {
    if (axis.wraps && !twisted.empty()) continue;  // part of the twisted torus
    const double size = static_cast<double>(axis.size);
    // Half of the devices, size/2, are on either side of the middle of a line, so that size^2/4 pairs cross it. A ring
    // has two ways around. For an odd ring or line the number of pairs is (size^2 - 1)/4.
    const auto one_side = axis.size / 2;
    const double crossing = static_cast<double>(one_side) * static_cast<double>(axis.size - one_side);
    const double link = bytes * crossing / size / (axis.wraps ? 2.0 : 1.0);
    add_at_once(cost, axis, link);
  }
  if (devices > 1) cost.wire_bytes = bytes * (devices - 1) / devices;
  return cost;
}

template <class Num>
TorusCostOf<Num> broadcast_cost(const std::vector<TorusAxisOf<Num>>& all_axes, double bytes) {
  const std::vector<TorusAxisOf<Num>> axes = longer_than_one(all_axes);
  TorusCostOf<Num> cost;
  cost.algorithm = axes.empty() ? "no communication" : "pipeline from the source";
  for (const TorusAxisOf<Num>& axis : axes) {
    const double link = axis.wraps ? bytes / 2 : bytes;
    add_at_once(cost, axis, link);
  }
  if (!axes.empty()) cost.wire_bytes = bytes;
  return cost;
}

template TorusCostOf<double> gather_cost(const std::vector<TorusAxisOf<double>>&, double, bool);
template TorusCostOf<Traced> gather_cost(const std::vector<TorusAxisOf<Traced>>&, double, bool);
template TorusCostOf<double> all_reduce_half_cost(const std::vector<TorusAxisOf<double>>&, double);
template TorusCostOf<Traced> all_reduce_half_cost(const std::vector<TorusAxisOf<Traced>>&, double);
template TorusCostOf<double> exchange_cost(const std::vector<TorusAxisOf<double>>&, double);
template TorusCostOf<Traced> exchange_cost(const std::vector<TorusAxisOf<Traced>>&, double);
template TorusCostOf<double> broadcast_cost(const std::vector<TorusAxisOf<double>>&, double);
template TorusCostOf<Traced> broadcast_cost(const std::vector<TorusAxisOf<Traced>>&, double);

}  // namespace hloroof::internal::inline time
