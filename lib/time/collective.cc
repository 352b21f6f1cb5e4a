// Computes the time of one collective. Maps its group to stretches of the machine's axes and applies the formula of its
// kind to each.
#include "lib/time/collective.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/analysis/axis_names.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/rings.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/assumed_rate.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/numbers.h"
#include "lib/time/permute.h"
#include "lib/time/scale_up.h"
#include "lib/time/slice_transfer.h"
#include "lib/time/torus.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {
namespace {

bool is_exchange(CollectiveKind kind) {
  return kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kRaggedAllToAll;
}

bool is_point_to_point(CollectiveKind kind) { return kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv; }

Resource resource_of(LinkKind link) {
  return link == LinkKind::kDcn || link == LinkKind::kNetwork ? Resource::kDcn : Resource::kIci;
}

// The share of a link that one member of a group has, and the latency of the link. `stride` groups are interleaved on
// the axis and share its links.
template <class Num>
TorusAxisOf<Num> torus_axis(LinkKind link, std::int64_t size, std::int64_t stride, bool wraps, const Numbers<Num>& n) {
  const Device& device = n.device();
  const Ici& ici = device.ici;
  TorusAxisOf<Num> axis;
  axis.size = size;
  axis.wraps = wraps && stride == 1;
  axis.link = link;
  switch (link) {
    case LinkKind::kIci: {
      axis.hop_latency = n.known_or(ici.hop_latency, 0.0);
      axis.bandwidth = n.known_or(ici.link_bandwidth, 0.0);
      // The sender waits for its neighbour after each `message` bytes.
      if (const Num message = n.known_or(ici.message_bytes, 0.0); value(message) > 0) {
        axis.bandwidth =
            axis.bandwidth / n.computed(1 + value(axis.bandwidth) * value(axis.hop_latency) / value(message), "1",
                                        message, axis.hop_latency, axis.bandwidth);
      }
      const auto sharing = static_cast<double>(stride * std::max<std::int64_t>(device.devices_per_chip, 1));
      axis.bandwidth = axis.bandwidth / n.computed(sharing, "1", n.at(device.devices_per_chip));
      axis.hop_latency = axis.hop_latency * static_cast<double>(stride);
      break;
    }
    case LinkKind::kDieToDie:
      axis.hop_latency = n.known_or(ici.hop_latency, 0.0);
      axis.bandwidth = n.known_or(ici.die_to_die_bandwidth, n.known_or(ici.link_bandwidth, 0.0));
      break;
    case LinkKind::kScaleUp: break;  // only for devices without a torus; see scale_up.cc
    case LinkKind::kDcn:
    case LinkKind::kNetwork: {
      const Num bandwidth = n.known_or(device.network.bandwidth, 0.0);
      axis.bandwidth = bandwidth * n.known_or(device.network.efficiency, 1.0);
      axis.hop_latency = n.known_or(device.network.latency, 0.0);
      break;
    }
  }
  return axis;
}

// The peak bandwidth of a link; 0 if it is not known.
double nominal_bandwidth(const Device& device, LinkKind link) {
  const auto known = [](const Fact<double>& bandwidth) { return bandwidth ? *bandwidth : 0; };
  const Ici& ici = device.ici;
  switch (link) {
    case LinkKind::kIci: return nominal_ici_bandwidth(device);
    case LinkKind::kDieToDie: return known(ici.die_to_die_bandwidth ? ici.die_to_die_bandwidth : ici.link_bandwidth);
    case LinkKind::kScaleUp: return known(device.scale_up.bandwidth);
    case LinkKind::kDcn:
    case LinkKind::kNetwork: return network_bandwidth(device);
  }
  return 0;
}

// The axes of a group by the level of the machine that they are on, the outermost level first: between slices, the
// torus, the devices of a chip.
template <class Num>
struct Levels {
  std::vector<TorusAxisOf<Num>> network;
  std::vector<TorusAxisOf<Num>> torus;
  std::vector<TorusAxisOf<Num>> chip;
  std::int64_t scale_up = 1;
  std::int64_t nodes = 1;
};

template <class Num>
Levels<Num> levels_of(const std::vector<int>& axes, const PhysicalMapping& mapping, const Numbers<Num>& n) {
  // Merge adjacent stretches of one physical axis into one.
  std::vector<AxisPiece> pieces;
  for (const int axis : axes) {
    if (axis < static_cast<int>(mapping.pieces.size())) {
      pieces.insert(pieces.end(), mapping.pieces[axis].begin(), mapping.pieces[axis].end());
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(), [](const AxisPiece& a, const AxisPiece& b) {
    return a.physical != b.physical ? a.physical < b.physical : a.stride < b.stride;
  });
  std::vector<AxisPiece> merged;
  for (const AxisPiece& piece : pieces) {
    if (!merged.empty() && merged.back().physical == piece.physical &&
        merged.back().stride * merged.back().size == piece.stride) {
      merged.back().size *= piece.size;
    } else {
      merged.push_back(piece);
    }
  }
  close_rings(mapping.physical, merged);
  Levels<Num> levels;
  const Numbers<Num> quiet(n.device());
  for (const AxisPiece& piece : merged) {
    const PhysicalAxis& axis = mapping.physical[piece.physical];
    TorusAxisOf<Num> stretch = torus_axis(axis.link, piece.size, piece.stride, piece.wraps, piece.size > 1 ? n : quiet);
    stretch.twisted = axis.twisted && stretch.wraps;
    switch (axis.link) {
      case LinkKind::kIci: levels.torus.push_back(stretch); break;
      case LinkKind::kDieToDie: levels.chip.push_back(stretch); break;
      case LinkKind::kDcn: levels.network.push_back(stretch); break;
      case LinkKind::kScaleUp: levels.scale_up *= piece.size; break;
      case LinkKind::kNetwork: levels.nodes *= piece.size; break;
    }
  }
  return levels;
}

template <class Num>
double devices_in(const std::vector<TorusAxisOf<Num>>& axes) {
  double devices = 1;
  for (const TorusAxisOf<Num>& axis : axes) devices *= static_cast<double>(axis.size);
  return devices;
}

template <class Num>
void add(TorusCostOf<Num>& total, const TorusCostOf<Num>& part) {
  total.seconds = sum("", total.seconds, part.seconds);
  total.hop_seconds = sum("", total.hop_seconds, part.hop_seconds);
  total.wire_bytes += part.wire_bytes;
  if (part.link_seconds > total.link_seconds) {
    total.link_seconds = part.link_seconds;
    total.link_bytes = part.link_bytes;
    total.link = part.link;
  }
  if (part.wire_bytes > 0) {
    absl::StrAppend(&total.algorithm, total.algorithm.empty() ? "" : "; ", part.algorithm);
  }
}

// A gather, or half of an all-reduce, level by level: first between slices, when each device has the least to send, and
// last inside the chip.
template <class Num>
TorusCostOf<Num> gather_levels(const Levels<Num>& levels, double bytes, CollectiveKind kind, const Device& device) {
  TorusCostOf<Num> total;
  TorusCostOf<Num> network = gather_cost(levels.network, bytes / devices_in(levels.torus) / devices_in(levels.chip));
  if (network.wire_bytes > 0) network.algorithm = "between slices over the network";
  add(total, network);
  const double in_slice = bytes / devices_in(levels.chip);
  const bool in_one_ring = kind == CollectiveKind::kAllGather && device.ici.gathers_in_one_ring;
  add(total, kind == CollectiveKind::kAllReduce ? all_reduce_half_cost(levels.torus, in_slice)
                                                : gather_cost(levels.torus, in_slice, in_one_ring));
  TorusCostOf<Num> chip = gather_cost(levels.chip, bytes);
  if (chip.wire_bytes > 0) chip.algorithm = "between the cores of a chip";
  add(total, chip);
  return total;
}

// An exchange on all levels at once. Each level carries the bytes that have to cross it.
template <class Num>
TorusCostOf<Num> exchange_levels(const Levels<Num>& levels, double bytes) {
  TorusCostOf<Num> total;
  Num longest = 0.0;
  for (const std::vector<TorusAxisOf<Num>>* level : {&levels.network, &levels.torus, &levels.chip}) {
    TorusCostOf<Num> part = exchange_cost(*level, bytes);
    if (level == &levels.network && !level->empty()) {
      // Every device has a separate share of the network, so nothing is relayed.
      const TorusAxisOf<Num>& axis = level->front();
      part.seconds = link_seconds(axis.link, axis.size, false, part.wire_bytes, axis.bandwidth);
      part.link_seconds = value(part.seconds);
      part.link_bytes = part.wire_bytes;
      part.algorithm = "between slices over the network";
    }
    longest = slowest("bytes over all axes at once", longest, part.seconds);
    add(total, part);
  }
  total.seconds = longest;
  const double devices = devices_in(levels.network) * devices_in(levels.torus) * devices_in(levels.chip);
  total.wire_bytes = bytes * (devices - 1) / devices;
  return total;
}

template <class Num>
TorusCostOf<Num> broadcast_levels(const Levels<Num>& levels, double bytes) {
  TorusCostOf<Num> total;
  Num longest = 0.0;
  for (const std::vector<TorusAxisOf<Num>>* level : {&levels.network, &levels.torus, &levels.chip}) {
    const TorusCostOf<Num> part = broadcast_cost(*level, bytes);
    longest = slowest("bytes over all axes at once", longest, part.seconds);
    add(total, part);
  }
  total.seconds = longest;
  total.wire_bytes = std::min(total.wire_bytes, bytes);
  return total;
}

// The machine's axes with their bandwidths, for routing.
template <class Num>
std::vector<TorusAxisOf<Num>> machine_axes(const PhysicalMapping& mapping, const Device& device) {
  // Missing numbers are not collected here, because only the caller knows which axes a route uses.
  const Numbers<Num> quiet(device);
  std::vector<TorusAxisOf<Num>> axes;
  for (const PhysicalAxis& axis : mapping.physical) {
    axes.push_back(torus_axis(axis.link, axis.size, 1, axis.wraps, quiet));
    axes.back().twisted = axis.twisted;
  }
  return axes;
}

// The cost for groups that are not a stretch of the machine. The data of a device can go to any other device, over
// links that all groups share, as in an exchange among all devices. Dependent steps cover Ici::mean_distance of the
// longest distance on average.
template <class Num>
TorusCostOf<Num> scattered_cost(CollectiveKind kind, double bytes, std::int64_t devices, const PhysicalMapping& mapping,
                                const Numbers<Num>& n) {
  std::vector<TorusAxisOf<Num>> torus;
  for (const TorusAxisOf<Num>& axis : machine_axes<Num>(mapping, n.device())) {
    if (axis.link == LinkKind::kIci) torus.push_back(axis);
  }
  if (torus.empty()) {
    torus.push_back(
        torus_axis(mapping.physical.empty() ? LinkKind::kIci : mapping.physical.back().link, 2, 1, false, n));
  }
  const double sent =
      bytes_sent(kind == CollectiveKind::kAllReduce ? CollectiveKind::kAllGather : kind, bytes, devices);
  TorusCostOf<Num> cost = exchange_cost(torus, sent);
  cost.wire_bytes = sent;
  const double steps = std::ceil(std::log2(std::max<double>(2, static_cast<double>(devices))));
  cost.hop_seconds = cost.hop_seconds * (n.known_or(n.device().ici.mean_distance, 1.0) * steps);
  cost.algorithm = "groups in no line: as if what is sent went anywhere";
  return cost;
}

void assume(CollectiveCost& cost, std::string_view why) {
  cost.source = CostSource::kAssumed;
  cost.note += cost.note.empty() ? "" : "; ";
  cost.note += why;
}

// The link of the outermost network axis of the mapping, if there is one.
std::optional<LinkKind> network_link(const PhysicalMapping& mapping) {
  for (const PhysicalAxis& axis : mapping.physical) {
    if (axis.link == LinkKind::kDcn || axis.link == LinkKind::kNetwork) return axis.link;
  }
  return std::nullopt;
}

// A send or receive between two devices: to another slice or node if there are several, otherwise to a neighbour.
template <class Num>
TorusCostOf<Num> point_to_point_cost(double bytes, const PhysicalMapping& mapping, const Numbers<Num>& n) {
  const LinkKind link = network_link(mapping).value_or(LinkKind::kIci);
  const TorusAxisOf<Num> axis = torus_axis(link, 2, 1, false, n);
  TorusCostOf<Num> cost;
  cost.link = axis.link;
  cost.wire_bytes = cost.link_bytes = bytes;
  if (value(axis.bandwidth) > 0) {
    cost.seconds = link_seconds(axis.link, 2, false, bytes, axis.bandwidth);
    cost.link_seconds = value(cost.seconds);
  }
  cost.hop_seconds = hop_seconds(axis.link, 1, axis.hop_latency);
  cost.algorithm = "direct send";
  return cost;
}

// The messages of a permutation that leave one node, where most do.
double leaving_node(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const PhysicalMapping& mapping) {
  std::int64_t domain = 1;
  for (const PhysicalAxis& axis : mapping.physical) {
    if (axis.link == LinkKind::kScaleUp) domain *= axis.size;
  }
  std::unordered_map<std::int64_t, double> leaving;
  double most = 0;
  for (const auto& [source, target] : pairs) {
    if (source / domain != target / domain) most = std::max(most, ++leaving[source / domain]);
  }
  return most;
}

// The path of the rate that decides the time of a collective among GPUs, if it is assumed; else empty.
std::string assumed_link_rate(CollectiveKind kind, bool on_network, const Device& device) {
  std::string path = "network.efficiency";
  if (on_network) {
    if (!device.network.efficiency) path = "network.bandwidth";
  } else {
    const CollectiveRates& rates = rates_of(device, kind);
    const bool sends = kind == CollectiveKind::kCollectivePermute || is_point_to_point(kind);
    path = sends ? std::string(path_of(&device.scale_up.permute.efficiency, device))
                 : std::string(path_of(rates.efficiency ? &rates.efficiency : &rates.peer_efficiency, device));
    if (!sends && !rates.efficiency && !rates.peer_efficiency) path = "scale_up.efficiency";
  }
  return device.gpu() != nullptr && is_assumed(device, path) ? path : std::string();
}

// Describes how nodes take part in a collective.
std::string nodes_text(bool tree, std::int64_t nodes, const Device& device) {
  const std::string& network = device.network.name;
  return absl::StrCat(tree ? "trees" : "rings", " between ", nodes, " nodes", network.empty() ? "" : " of ", network,
                      " and inside them");
}

// The seconds of one execution of a collective.
template <class Num>
struct CollectiveTime {
  Num bandwidth = 0.0;
  Num latency = 0.0;
};

// Computes the cost of collectives on devices without a torus.
template <class Num>
CollectiveTime<Num> time_on_gpus(const Collective& collective, const std::vector<int>& axes, bool aligned,
                                 const PhysicalMapping& mapping, std::int64_t devices, double bytes,
                                 const Numbers<Num>& n, CollectiveCost& cost) {
  Levels<double> levels = levels_of(axes, mapping, Numbers<double>(n.device()));
  ScaleUpCost<Num> part;
  if (collective.kind == CollectiveKind::kCollectivePermute || is_point_to_point(collective.kind)) {
    Send send;
    send.bytes = bytes;
    send.devices = devices;
    send.relays = relays(collective.pairs);
    send.leaving = collective.pairs.empty() ? (network_link(mapping) ? 1 : 0) : leaving_node(collective.pairs, mapping);
    levels.nodes = send.leaving > 0 ? 2 : 1;
    part = send_cost(send, n);
  } else {
    if (!aligned) {
      // Each member is assumed to be in a different node if there are several nodes.
      levels.nodes = network_link(mapping) ? collective.groups.group_size : 1;
      levels.scale_up = levels.nodes > 1 ? 1 : collective.groups.group_size;
    }
    part = scale_up_cost(collective.kind, bytes, levels.scale_up, levels.nodes, n);
  }
  const std::string assumed = assumed_link_rate(collective.kind, part.is_bound_by_network(), n.device());
  if (!assumed.empty()) assume(cost, absl::StrCat("nobody measured ", assumed, " of ", n.device().name));
  cost.wire_bytes = part.wire_bytes;
  cost.busiest_link_bytes = part.link_bytes;
  const LinkKind link = part.is_bound_by_network() ? LinkKind::kNetwork : LinkKind::kScaleUp;
  cost.other_level_seconds = std::min(part.domain_seconds, part.network_seconds);
  cost.resource = resource_of(link);
  cost.link_bandwidth = nominal_bandwidth(n.device(), link);
  cost.algorithm =
      levels.nodes > 1 ? nodes_text(part.tree, levels.nodes, n.device()) : std::string("inside the scale-up domain");
  return {part.seconds, part.latency_seconds};
}

void note_missing(const MissingNumbers& missing, const Device& device, CollectiveCost& cost) {
  if (missing.empty()) return;
  for (const void* slot : missing.slots()) cost.missing_numbers.emplace_back(path_of(slot, device));
  assume(cost, "the device file lacks " + absl::StrJoin(cost.missing_numbers, ", "));
}

// The bytes of a collective on the wire. `is_quantized` tells whether its elements are smaller there.
double bytes_on_wire(const Collective& collective, const CollectiveOptions& options, bool& is_quantized) {
  const bool reduces =
      collective.kind == CollectiveKind::kAllReduce || collective.kind == CollectiveKind::kReduceScatter;
  is_quantized = reduces && options.reduce_element_bytes && collective.element_bytes > *options.reduce_element_bytes;
  return is_quantized ? collective.bytes * *options.reduce_element_bytes / collective.element_bytes : collective.bytes;
}

// Adds up the executions of `collective`, and computes what follows from the bandwidth and the latency.
template <class Num>
Num finish_cost(const Collective& collective, const CollectiveTime<Num>& time, CollectiveCost& cost) {
  const Num bandwidth = time.bandwidth * collective.runs;
  const Num latency = time.latency * collective.runs;
  for (double* total : {&cost.wire_bytes, &cost.busiest_link_bytes, &cost.other_level_seconds}) {
    *total *= collective.runs;
  }
  const Num seconds = sum(to_string(collective.kind), bandwidth, latency);
  cost.bandwidth_seconds = value(bandwidth);
  cost.latency_seconds = value(latency);
  cost.seconds = value(seconds);
  if (cost.seconds > 0 && cost.link_bandwidth > 0) {
    cost.utilization = cost.busiest_link_bytes / cost.seconds / cost.link_bandwidth;
  }
  if (cost.bandwidth_seconds > 0) cost.crossover_bytes = cost.bytes * cost.latency_seconds / cost.bandwidth_seconds;
  return seconds;
}

// Computes the cost of a transfer that the hosts perform between slices.
template <class Num>
CollectiveTime<Num> time_between_slices(const Collective& collective, const CollectiveOptions& options,
                                        const Numbers<Num>& n, CollectiveCost& cost) {
  bool is_quantized = false;
  const double bytes = bytes_on_wire(collective, options, is_quantized);
  const SliceTransferCost<Num> between =
      slice_transfer_cost(collective.kind, bytes, std::max<std::int64_t>(cost.group_size, 2), n);
  cost.wire_bytes = cost.busiest_link_bytes = between.wire_bytes;
  cost.resource = Resource::kDcn;
  cost.link_bandwidth = nominal_bandwidth(n.device(), LinkKind::kDcn);
  cost.algorithm = absl::StrFormat("hosts of %d slices over the data center network, %g step%s", cost.group_size,
                                   between.steps, between.steps == 1 ? "" : "s");
  if (is_quantized) absl::StrAppend(&cost.algorithm, "; elements of ", *options.reduce_element_bytes, " B on the wire");
  return {between.bandwidth_seconds(), between.latency_seconds};
}

// Computes the cost of collectives on a torus.
template <class Num>
CollectiveTime<Num> time_on_torus(const Collective& collective, const std::vector<int>& axes, bool aligned,
                                  const LogicalMesh& mesh, const PhysicalMapping& mapping, double bytes,
                                  const Numbers<Num>& n, CollectiveCost& cost) {
  const Device& device = n.device();
  TorusCostOf<Num> torus;
  if (is_permutation(collective)) {
    torus = permute_cost(collective.pairs, mesh, mapping, machine_axes<Num>(mapping, device), bytes);
    torus_axis(torus.link, 2, 1, false, n);
  } else if (is_point_to_point(collective.kind)) {
    torus = point_to_point_cost(bytes, mapping, n);
    assume(cost, "the text does not say between which devices");
  } else if (!aligned) {
    torus = scattered_cost(collective.kind, bytes, cost.group_size, mapping, n);
    assume(cost, collective.groups.regular ? "the groups are no axes of the mesh" : "the groups are irregular");
  } else {
    const Levels<Num> levels = levels_of(axes, mapping, n);
    torus = is_exchange(collective.kind) ? exchange_levels(levels, bytes)
            : collective.kind == CollectiveKind::kCollectiveBroadcast
                ? broadcast_levels(levels, bytes)
                : gather_levels(levels, bytes, collective.kind, device);
  }
  // An all-reduce is a reduce-scatter and an all-gather, each of which is the reverse of the other.
  const double passes = collective.kind == CollectiveKind::kAllReduce ? 2 : 1;
  cost.wire_bytes = passes * torus.wire_bytes;
  cost.busiest_link_bytes = passes * torus.link_bytes;
  cost.resource = resource_of(torus.link);
  cost.link_bandwidth = nominal_bandwidth(device, torus.link);
  cost.algorithm = torus.algorithm;
  const Num each = n.amount("each collective", 1, "") * n.known_or(device.overhead.collective, 0.0);
  return {sum("bytes over one axis after another", torus.seconds) * passes,
          sum("", sum("hops", torus.hop_seconds) * passes, each)};
}

// Computes the cost of a collective: its seconds, and the other members of `cost`.
template <class Num>
Num timed(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
          const CollectiveOptions& options, const Numbers<Num>& n, CollectiveCost& cost) {
  cost.kind = collective.kind;
  cost.bytes = collective.bytes;
  cost.group_size = collective.groups.group_size;
  cost.group_count = collective.groups.group_count;
  const std::vector<int> axes = spanned_axes(mesh, collective.groups);
  for (const int i : axes) cost.axes.push_back(axis_with_stride(mesh.axes[i]));
  if (collective.slices > 0) {
    return finish_cost(collective, time_between_slices(collective, options, n, cost), cost);
  }
  const bool permutes = is_permutation(collective);
  const bool stays = std::all_of(collective.pairs.begin(), collective.pairs.end(),
                                 [](const auto& pair) { return pair.first == pair.second; });
  const bool alone = permutes ? stays : cost.group_size <= 1 && !is_point_to_point(collective.kind);
  if (alone) {
    cost.algorithm = "no communication";
    return 0.0;
  }

  bool quantized = false;
  const double bytes = bytes_on_wire(collective, options, quantized);
  const bool aligned = collective.groups.regular && mapping.aligned && !(axes.empty() && cost.group_size > 1);
  CollectiveTime<Num> time = n.device().ici.dims == 0
                                 ? time_on_gpus(collective, axes, aligned, mapping, mesh.device_count, bytes, n, cost)
                                 : time_on_torus(collective, axes, aligned, mesh, mapping, bytes, n, cost);
  if (collective.kind == CollectiveKind::kRaggedAllToAll) {
    time.bandwidth = time.bandwidth * std::max(options.imbalance, 0.0);
    cost.other_level_seconds *= std::max(options.imbalance, 0.0);
    assume(cost, "how much each device sends is not in the text: the whole operand, evenly");
  }
  if (quantized) absl::StrAppend(&cost.algorithm, "; elements of ", *options.reduce_element_bytes, " B on the wire");
  return finish_cost(collective, time, cost);
}

}  // namespace

double nominal_ici_bandwidth(const Device& device) {
  const Fact<double>& usable = device.ici.link_bandwidth;
  const Fact<double>& nominal = device.ici.link_bandwidth_nominal;
  return std::max(nominal ? *nominal : 0, usable ? *usable : 0);
}

std::optional<double> crossover_tokens(const Collective& collective, AxisRole role, const CollectiveCost& cost,
                                       const Device& device) {
  const bool moves_weights = role == AxisRole::kFsdp || role == AxisRole::kData;
  const std::optional<double> peak = matrix_rate(device.matrix.peak, MatrixType::kBf16).rate;
  if (!moves_weights || !peak || cost.bytes <= 0 || collective.element_bytes <= 0) return std::nullopt;
  const double weights = cost.bytes / collective.element_bytes;
  if (weights <= static_cast<double>(kSmallArray)) return std::nullopt;
  // A row times a weight takes a multiply and an add. A gradient comes from two such products: one for the gradient of
  // the weight and one for the gradient of its input.
  double flops = 0;
  switch (collective.kind) {
    case CollectiveKind::kAllGather: flops = 2; break;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllReduce: flops = 4; break;
    default: return std::nullopt;
  }
  return cost.seconds * *peak / (flops * weights);
}

CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options) {
  CollectiveCost cost;
  MissingNumbers missing;
  timed(collective, mesh, mapping, options, Numbers<double>(device, &missing), cost);
  note_missing(missing, device, cost);
  return cost;
}

Term collective_terms(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                      const Device& device, const CollectiveOptions& options) {
  CollectiveCost cost;
  MissingNumbers missing;
  Term term = timed(collective, mesh, mapping, options, Numbers<Traced>(device, &missing), cost).term();
  if (term.seconds <= 0) return {};
  // The root is named after the kind of collective; a single leaf keeps its name.
  if (!term.is_leaf()) term.name = std::string(to_string(collective.kind));
  term.note = cost.algorithm;
  note_missing(missing, device, term);
  return term;
}

}  // namespace hloroof::internal::inline time
