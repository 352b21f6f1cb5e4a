// Computes the time of one collective. Maps its group to stretches of the machine's axes and applies the formula of its
// kind to each.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/mesh.h"
#include "lib/analysis/rings.h"
#include "lib/hardware/device_fields.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/time/collective.h"
#include "lib/time/collective_parts.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/permute.h"
#include "lib/time/scale_up.h"
#include "lib/time/slice_transfer.h"
#include "lib/time/torus.h"

namespace hloroof::internal {
namespace {

bool is_exchange(CollectiveKind kind) {
  return kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kRaggedAllToAll;
}

bool is_point_to_point(CollectiveKind kind) { return kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv; }

Resource resource_of(LinkKind link) {
  return link == LinkKind::kDcn || link == LinkKind::kNetwork ? Resource::kDcn : Resource::kIci;
}

// The share of a link that one member of a group has, and the latency of the link. `stride` groups are interleaved on
// the axis and share its links. `missing` may be null.
TorusAxis torus_axis(const Device& device, LinkKind link, std::int64_t size, std::int64_t stride, bool wraps,
                     MissingNumbers* missing) {
  TorusAxis axis;
  axis.size = size;
  axis.wraps = wraps && stride == 1;
  axis.link = link;
  const auto number = [missing](const Fact<double>& n, double otherwise) { return number_or(n, otherwise, missing); };
  switch (link) {
    case LinkKind::kIci:
      axis.hop_latency = number(device.ici.hop_latency, 0);
      axis.bandwidth = number(device.ici.link_bandwidth, 0);
      // The sender waits for its neighbour after each `message` bytes.
      if (const double message = number(device.ici.message_bytes, 0); message > 0) {
        axis.bandwidth /= 1 + axis.bandwidth * axis.hop_latency / message;
      }
      axis.bandwidth /= static_cast<double>(stride * std::max<std::int64_t>(device.devices_per_chip, 1));
      axis.hop_latency *= static_cast<double>(stride);
      break;
    case LinkKind::kDieToDie:
      axis.hop_latency = number(device.ici.hop_latency, 0);
      axis.bandwidth = number(device.ici.die_to_die_bandwidth, number(device.ici.link_bandwidth, 0));
      break;
    case LinkKind::kScaleUp: break;  // only for devices without a torus; see scale_up.cc
    case LinkKind::kDcn:
    case LinkKind::kNetwork:
      axis.bandwidth = number(device.network.bandwidth, 0) * number(device.network.efficiency, 1);
      axis.hop_latency = number(device.network.latency, 0);
      break;
  }
  return axis;
}

// The peak bandwidth of a link; 0 if it is not known. A what-if question that raises the usable bandwidth raises the
// peak as well.
double nominal_bandwidth(const Device& device, LinkKind link) {
  const auto known = [](const Fact<double>& bandwidth) { return bandwidth ? *bandwidth : 0; };
  const Ici& ici = device.ici;
  switch (link) {
    case LinkKind::kIci: return std::max(known(ici.link_bandwidth_nominal), known(ici.link_bandwidth));
    case LinkKind::kDieToDie: return known(ici.die_to_die_bandwidth ? ici.die_to_die_bandwidth : ici.link_bandwidth);
    case LinkKind::kScaleUp: return known(device.scale_up.bandwidth);
    case LinkKind::kDcn:
    case LinkKind::kNetwork: return known(device.network.bandwidth);
  }
  return 0;
}

// The axes of a group by the level of the machine that they are on, the outermost level first: between slices, the
// torus, the devices of a chip.
struct Levels {
  std::vector<TorusAxis> network;
  std::vector<TorusAxis> torus;
  std::vector<TorusAxis> chip;
  std::int64_t scale_up = 1;
  std::int64_t nodes = 1;
};

Levels levels_of(const std::vector<int>& axes, const PhysicalMapping& mapping, const Device& device,
                 MissingNumbers* missing) {
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
  Levels levels;
  for (const AxisPiece& piece : merged) {
    const PhysicalAxis& axis = mapping.physical[piece.physical];
    MissingNumbers* const here = piece.size > 1 ? missing : nullptr;
    TorusAxis stretch = torus_axis(device, axis.link, piece.size, piece.stride, piece.wraps, here);
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

double devices_in(const std::vector<TorusAxis>& axes) {
  double devices = 1;
  for (const TorusAxis& axis : axes) devices *= static_cast<double>(axis.size);
  return devices;
}

void add(TorusCost& total, const TorusCost& part) {
  total.seconds += part.seconds;
  total.hop_seconds += part.hop_seconds;
  total.wire_bytes += part.wire_bytes;
  total.steps.insert(total.steps.end(), part.steps.begin(), part.steps.end());
  total.hops.insert(total.hops.end(), part.hops.begin(), part.hops.end());
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
TorusCost gather_levels(const Levels& levels, double bytes, bool all_reduces) {
  TorusCost total;
  TorusCost network = gather_cost(levels.network, bytes / devices_in(levels.torus) / devices_in(levels.chip));
  if (network.wire_bytes > 0) network.algorithm = "between slices over the network";
  add(total, network);
  const double in_slice = bytes / devices_in(levels.chip);
  add(total, all_reduces ? all_reduce_half_cost(levels.torus, in_slice) : gather_cost(levels.torus, in_slice));
  TorusCost chip = gather_cost(levels.chip, bytes);
  if (chip.wire_bytes > 0) chip.algorithm = "between the cores of a chip";
  add(total, chip);
  return total;
}

// An exchange on all levels at once. Each level carries the bytes that have to cross it.
TorusCost exchange_levels(const Levels& levels, double bytes) {
  TorusCost total;
  double slowest = 0;
  for (const std::vector<TorusAxis>* level : {&levels.network, &levels.torus, &levels.chip}) {
    TorusCost part = exchange_cost(*level, bytes);
    if (level == &levels.network && !level->empty()) {
      // Every device has a separate share of the network, so nothing is relayed.
      part.seconds = part.link_seconds = part.wire_bytes / level->front().bandwidth;
      part.link_bytes = part.wire_bytes;
      part.steps = {{level->front().link, level->front().size, false, part.wire_bytes, level->front().bandwidth}};
      part.algorithm = "between slices over the network";
    }
    slowest = std::max(slowest, part.seconds);
    add(total, part);
  }
  total.seconds = slowest;
  total.at_once = true;
  const double devices = devices_in(levels.network) * devices_in(levels.torus) * devices_in(levels.chip);
  total.wire_bytes = bytes * (devices - 1) / devices;
  return total;
}

TorusCost broadcast_levels(const Levels& levels, double bytes) {
  TorusCost total;
  double slowest = 0;
  for (const std::vector<TorusAxis>* level : {&levels.network, &levels.torus, &levels.chip}) {
    const TorusCost part = broadcast_cost(*level, bytes);
    slowest = std::max(slowest, part.seconds);
    add(total, part);
  }
  total.seconds = slowest;
  total.at_once = true;
  total.wire_bytes = std::min(total.wire_bytes, bytes);
  return total;
}

// The machine's axes with their bandwidths, for routing.
std::vector<TorusAxis> machine_axes(const PhysicalMapping& mapping, const Device& device) {
  std::vector<TorusAxis> axes;
  for (const PhysicalAxis& axis : mapping.physical) {
    // Missing numbers are not collected here, because only the caller knows which axes a route uses.
    axes.push_back(torus_axis(device, axis.link, axis.size, 1, axis.wraps, nullptr));
    axes.back().twisted = axis.twisted;
  }
  return axes;
}

// The cost for groups that are not a stretch of the machine. The data of a device can go to any other device, over
// links that all groups share, as in an exchange among all devices. Dependent steps cover Ici::mean_distance of the
// longest distance on average.
TorusCost scattered_cost(CollectiveKind kind, double bytes, std::int64_t devices, const PhysicalMapping& mapping,
                         const Device& device, MissingNumbers* missing) {
  std::vector<TorusAxis> torus;
  for (const TorusAxis& axis : machine_axes(mapping, device)) {
    if (axis.link == LinkKind::kIci) torus.push_back(axis);
  }
  if (torus.empty()) {
    torus.push_back(torus_axis(device, mapping.physical.empty() ? LinkKind::kIci : mapping.physical.back().link, 2, 1,
                               false, missing));
  }
  const double sent =
      bytes_sent(kind == CollectiveKind::kAllReduce ? CollectiveKind::kAllGather : kind, bytes, devices);
  TorusCost cost = exchange_cost(torus, sent);
  cost.wire_bytes = sent;
  const double distance = number_or(device.ici.mean_distance, 1.0, missing);
  const double steps = std::ceil(std::log2(std::max<double>(2, static_cast<double>(devices))));
  cost.hop_seconds *= distance * steps;
  for (TorusHops& hops : cost.hops) {
    hops.count *= steps;
    hops.share = distance;
  }
  cost.algorithm = "groups in no line: as if what is sent went anywhere";
  return cost;
}

std::string ways(std::int64_t size, std::int64_t stride) {
  return absl::StrCat(size, "-way over the axis of stride ", stride);
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
TorusCost point_to_point_cost(double bytes, const PhysicalMapping& mapping, const Device& device,
                              MissingNumbers* missing) {
  const LinkKind link = network_link(mapping).value_or(LinkKind::kIci);
  const TorusAxis axis = torus_axis(device, link, 2, 1, false, missing);
  TorusCost cost;
  cost.link = axis.link;
  cost.wire_bytes = cost.link_bytes = bytes;
  if (axis.bandwidth > 0) {
    cost.seconds = cost.link_seconds = bytes / axis.bandwidth;
    cost.steps = {{axis.link, 2, false, bytes, axis.bandwidth}};
  }
  cost.hop_seconds = axis.hop_latency;
  if (axis.hop_latency > 0) cost.hops = {{axis.link, 1, axis.hop_latency}};
  cost.algorithm = "direct send";
  return cost;
}

// Whether any pair of a permutation leaves its node, so that the pairs connect several domains.
bool leaves_node(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs, const PhysicalMapping& mapping) {
  std::int64_t domain = 1;
  for (const PhysicalAxis& axis : mapping.physical) {
    if (axis.link == LinkKind::kScaleUp) domain *= axis.size;
  }
  return std::any_of(pairs.begin(), pairs.end(), [&](const std::pair<std::int64_t, std::int64_t>& pair) {
    return pair.first / domain != pair.second / domain;
  });
}

// Computes the cost of collectives on devices without a torus.
void cost_on_gpus(const Collective& collective, const std::vector<int>& axes, bool aligned,
                  const PhysicalMapping& mapping, const Device& device, std::int64_t devices, double bytes,
                  CollectiveCost& cost, CollectiveParts* parts, MissingNumbers* missing) {
  Levels levels = levels_of(axes, mapping, device, nullptr);
  ScaleUpCost part;
  Send send;
  const bool is_message = collective.kind == CollectiveKind::kCollectivePermute || is_point_to_point(collective.kind);
  if (is_message) {
    send.bytes = bytes;
    send.devices = devices;
    send.relays = relays(collective.pairs);
    send.leaves_node =
        collective.pairs.empty() ? network_link(mapping).has_value() : leaves_node(collective.pairs, mapping);
    levels.nodes = send.leaves_node ? 2 : 1;
    part = send_cost(device, send, missing);
  } else {
    if (!aligned) {
      // Each member is assumed to be in a different node if there are several nodes.
      levels.nodes = network_link(mapping) ? collective.groups.group_size : 1;
      levels.scale_up = levels.nodes > 1 ? 1 : collective.groups.group_size;
    }
    part = scale_up_cost(device, collective.kind, bytes, levels.scale_up, levels.nodes, missing);
  }
  if (parts != nullptr) {
    parts->form = CollectiveForm::kScaleUp;
    parts->is_message = is_message;
    parts->send = send;
    parts->bytes = bytes;
    parts->local = levels.scale_up;
    parts->nodes = levels.nodes;
  }
  cost.bandwidth_seconds = part.seconds;
  cost.latency_seconds = part.latency_seconds;
  cost.wire_bytes = part.wire_bytes;
  cost.busiest_link_bytes = part.link_bytes;
  const LinkKind link = part.network_seconds > 0 ? LinkKind::kNetwork : LinkKind::kScaleUp;
  cost.resource = resource_of(link);
  cost.link_bandwidth = nominal_bandwidth(device, link);
  cost.algorithm = levels.nodes > 1 ? absl::StrCat("rings between ", levels.nodes, " nodes and inside them")
                                    : std::string("inside the scale-up domain");
}

void note_missing(const MissingNumbers& missing, const Device& device, CollectiveCost& cost) {
  if (missing.empty()) return;
  for (const void* slot : missing.slots()) cost.missing_numbers.emplace_back(path_of(slot, device));
  assume(cost, "the device file lacks " + absl::StrJoin(cost.missing_numbers, ", "));
}

}  // namespace

namespace {

// The bytes of a collective on the wire. `is_quantized` tells whether its elements are smaller there.
double bytes_on_wire(const Collective& collective, const CollectiveOptions& options, bool& is_quantized) {
  const bool reduces =
      collective.kind == CollectiveKind::kAllReduce || collective.kind == CollectiveKind::kReduceScatter;
  is_quantized = reduces && options.reduce_element_bytes && collective.element_bytes > *options.reduce_element_bytes;
  return is_quantized ? collective.bytes * *options.reduce_element_bytes / collective.element_bytes : collective.bytes;
}

// Adds up the executions of `collective`, and computes what follows from the bandwidth and the latency.
void finish_cost(const Collective& collective, CollectiveCost& cost) {
  for (double* total : {&cost.bandwidth_seconds, &cost.latency_seconds, &cost.wire_bytes, &cost.busiest_link_bytes}) {
    *total *= collective.runs;
  }
  cost.seconds = cost.bandwidth_seconds + cost.latency_seconds;
  if (cost.seconds > 0 && cost.link_bandwidth > 0) {
    cost.utilization = cost.busiest_link_bytes / cost.seconds / cost.link_bandwidth;
  }
  if (cost.bandwidth_seconds > 0) cost.crossover_bytes = cost.bytes * cost.latency_seconds / cost.bandwidth_seconds;
}

// Computes the cost of a transfer that the hosts perform between slices.
void cost_between_slices(const Collective& collective, const Device& device, const CollectiveOptions& options,
                         CollectiveCost& cost, CollectiveParts* parts) {
  MissingNumbers missing;
  bool is_quantized = false;
  const double bytes = bytes_on_wire(collective, options, is_quantized);
  const SliceTransferCost between =
      slice_transfer_cost(device, collective.kind, bytes, std::max<std::int64_t>(cost.group_size, 2), &missing);
  cost.bandwidth_seconds = between.bandwidth_seconds();
  cost.latency_seconds = between.latency_seconds;
  cost.wire_bytes = cost.busiest_link_bytes = between.wire_bytes;
  cost.resource = Resource::kDcn;
  cost.link_bandwidth = nominal_bandwidth(device, LinkKind::kDcn);
  cost.algorithm = absl::StrFormat("hosts of %d slices over the data center network, %g step%s", cost.group_size,
                                   between.steps, between.steps == 1 ? "" : "s");
  if (is_quantized) absl::StrAppend(&cost.algorithm, "; elements of ", *options.reduce_element_bytes, " B on the wire");
  if (parts != nullptr) {
    parts->form = CollectiveForm::kSlices;
    parts->between = between;
  }
  finish_cost(collective, cost);
  note_missing(missing, device, cost);
}

}  // namespace

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
  return collective_cost(collective, mesh, mapping, device, options, nullptr);
}

CollectiveCost collective_cost(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                               const Device& device, const CollectiveOptions& options, CollectiveParts* parts) {
  CollectiveCost cost;
  cost.kind = collective.kind;
  cost.bytes = collective.bytes;
  cost.group_size = collective.groups.group_size;
  cost.group_count = collective.groups.group_count;
  const std::vector<int> axes = spanned_axes(mesh, collective.groups);
  for (const int i : axes) {
    const MeshAxis& axis = mesh.axes[i];
    cost.axes.push_back(axis.named_in_text ? absl::StrCat(axis.name, " (", ways(axis.size, axis.stride), ")")
                                           : ways(axis.size, axis.stride));
  }
  if (collective.slices > 0) {
    cost_between_slices(collective, device, options, cost, parts);
    return cost;
  }
  const bool permutes = is_permutation(collective);
  const bool stays = std::all_of(collective.pairs.begin(), collective.pairs.end(),
                                 [](const auto& pair) { return pair.first == pair.second; });
  const bool alone = permutes ? stays : cost.group_size <= 1 && !is_point_to_point(collective.kind);
  if (alone) {
    cost.algorithm = "no communication";
    return cost;
  }

  bool quantized = false;
  const double bytes = bytes_on_wire(collective, options, quantized);
  const bool aligned = collective.groups.regular && mapping.aligned && !(axes.empty() && cost.group_size > 1);

  MissingNumbers missing;
  if (device.ici.dims == 0) {
    cost_on_gpus(collective, axes, aligned, mapping, device, mesh.device_count, bytes, cost, parts, &missing);
  } else {
    TorusCost torus;
    if (permutes) {
      torus = permute_cost(collective.pairs, mesh, mapping, machine_axes(mapping, device), bytes);
      torus_axis(device, torus.link, 2, 1, false, &missing);
    } else if (is_point_to_point(collective.kind)) {
      torus = point_to_point_cost(bytes, mapping, device, &missing);
      assume(cost, "the text does not say between which devices");
    } else if (!aligned) {
      torus = scattered_cost(collective.kind, bytes, cost.group_size, mapping, device, &missing);
      assume(cost, collective.groups.regular ? "the groups are no axes of the mesh" : "the groups are irregular");
    } else {
      const Levels levels = levels_of(axes, mapping, device, &missing);
      torus = is_exchange(collective.kind) ? exchange_levels(levels, bytes)
              : collective.kind == CollectiveKind::kCollectiveBroadcast
                  ? broadcast_levels(levels, bytes)
                  : gather_levels(levels, bytes, collective.kind == CollectiveKind::kAllReduce);
    }
    // An all-reduce is a reduce-scatter and an all-gather, each of which is the reverse of the other.
    const double passes = collective.kind == CollectiveKind::kAllReduce ? 2 : 1;
    cost.bandwidth_seconds = passes * torus.seconds;
    cost.latency_seconds = passes * torus.hop_seconds + number_or(device.overhead.collective, 0.0, &missing);
    cost.wire_bytes = passes * torus.wire_bytes;
    cost.busiest_link_bytes = passes * torus.link_bytes;
    cost.resource = resource_of(torus.link);
    cost.link_bandwidth = nominal_bandwidth(device, torus.link);
    cost.algorithm = torus.algorithm;
    if (parts != nullptr) {
      parts->form = CollectiveForm::kTorus;
      parts->torus = std::move(torus);
      parts->passes = passes;
    }
  }
  if (collective.kind == CollectiveKind::kRaggedAllToAll) {
    cost.bandwidth_seconds *= std::max(options.imbalance, 0.0);
    if (parts != nullptr) parts->imbalance = std::max(options.imbalance, 0.0);
    assume(cost, "how much each device sends is not in the text: the whole operand, evenly");
  }
  if (quantized) absl::StrAppend(&cost.algorithm, "; elements of ", *options.reduce_element_bytes, " B on the wire");
  finish_cost(collective, cost);
  note_missing(missing, device, cost);
  return cost;
}

}  // namespace hloroof::internal
