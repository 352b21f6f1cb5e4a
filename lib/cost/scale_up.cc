#include "lib/cost/scale_up.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/mesh.h"

namespace hloroof::inline v0 {
namespace {

double rounds(CollectiveKind kind) { return kind == CollectiveKind::kAllReduce ? 2 : 1; }

// Inside one domain: the form that CollectiveRates states.
ScaleUpCost inside_domain(const Device& device, CollectiveKind kind, double bytes, std::int64_t devices) {
  ScaleUpCost cost;
  if (devices <= 1) return cost;
  const CollectiveRates& rates = rates_of(device, kind);
  const double n = static_cast<double>(devices);
  cost.wire_bytes = cost.link_bytes = bytes_sent(kind, bytes, devices);
  const double step = rates.step.value_or(device.scale_up.latency.value_or(0) * rounds(kind));
  cost.latency_seconds = rates.launch.value_or(device.overhead.collective) + step * (n - 1);
  const double bandwidth = device.scale_up.bandwidth.value_or(0);
  if (bandwidth <= 0) {
    cost.assumed = true;
    return cost;
  }
  cost.assumed = !rates.efficiency && !rates.peer_efficiency;
  if (cost.assumed) {
    cost.seconds = cost.wire_bytes / (device.scale_up.efficiency.value_or(1) * bandwidth);
    return cost;
  }
  cost.seconds = rates.fill.value_or(0) * std::sqrt(cost.wire_bytes);
  if (rates.efficiency) cost.seconds += cost.wire_bytes / (*rates.efficiency * bandwidth);
  if (rates.peer_efficiency) cost.seconds += cost.wire_bytes / (n - 1) / (*rates.peer_efficiency * bandwidth);
  return cost;
}

// A message inside one domain: the form that SendRates states.
ScaleUpCost send_inside_domain(const Device& device, const Send& send) {
  const SendRates& rates = device.scale_up.permute;
  ScaleUpCost cost;
  cost.wire_bytes = cost.link_bytes = send.bytes;
  cost.latency_seconds = rates.launch.value_or(device.overhead.collective + device.scale_up.latency.value_or(0));
  cost.assumed = !rates.efficiency || !device.scale_up.bandwidth;
  double bandwidth =
      device.scale_up.bandwidth.value_or(0) * rates.efficiency.value_or(device.scale_up.efficiency.value_or(1));
  if (rates.channels && rates.channel_bandwidth) {
    double channel = *rates.channel_bandwidth;
    if (send.relays) channel = rates.shared_channel_bandwidth.value_or(channel);
    if (send.bytes <= rates.low_latency_bytes.value_or(0)) channel = rates.low_latency_bandwidth.value_or(channel);
    bandwidth = std::min(bandwidth, channel * send_channels(rates, send.bytes, send.devices));
  }
  if (bandwidth > 0) cost.seconds = send.bytes / bandwidth;
  return cost;
}

// The two levels work on different parts of the array at once.
ScaleUpCost slower_of(const ScaleUpCost& inside, const ScaleUpCost& across) {
  ScaleUpCost cost = across.seconds >= inside.seconds ? across : inside;
  cost.latency_seconds = std::max(across.latency_seconds, inside.latency_seconds);
  cost.wire_bytes = std::max(across.wire_bytes, inside.wire_bytes);
  cost.assumed = across.assumed || inside.assumed;
  return cost;
}

// Across nodes: rings through the NICs, one for each local member, as XLA's speed-of-light model has them
// (xla/service/gpu/model/sol_gpu_cost_model.cc): in each of the steps a NIC sends one message, cut into chunks.
ScaleUpCost across_nodes(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                         std::int64_t nodes) {
  ScaleUpCost cost;
  const Network& network = device.network;
  const double group = static_cast<double>(local * nodes);
  const double nics = static_cast<double>(local);
  double message = bytes / group;  // of one step
  double steps = (group - 1) / nics * rounds(kind);
  if (kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kRaggedAllToAll) {
    steps = nics * static_cast<double>(nodes - 1);  // to every member of every other node
  } else if (kind == CollectiveKind::kCollectivePermute || kind == CollectiveKind::kSend ||
             kind == CollectiveKind::kRecv || kind == CollectiveKind::kCollectiveBroadcast) {
    message = bytes;
    steps = 1;
  }
  const double chunks = network.chunk_bytes ? std::ceil(message / *network.chunk_bytes) : 1;
  cost.latency_seconds = network.launch.value_or(device.overhead.collective) +
                         steps * (network.latency.value_or(0) + network.chunk_latency.value_or(0));
  cost.wire_bytes = cost.link_bytes = message * steps;
  cost.assumed = !network.bandwidth.has_value();
  if (network.bandwidth) {
    cost.seconds = cost.wire_bytes / (*network.bandwidth * network.efficiency.value_or(1)) +
                   steps * std::max(0.0, chunks - 1) * network.chunk_latency.value_or(0);
  }
  cost.network_seconds = cost.seconds;
  return cost;
}

}  // namespace

const CollectiveRates& rates_of(const Device& device, CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kReduceScatter: return device.scale_up.reduce_scatter;
    case CollectiveKind::kAllReduce: return device.scale_up.all_reduce;
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kRaggedAllToAll: return device.scale_up.all_to_all;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kCollectivePermute:
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv:
    case CollectiveKind::kCollectiveBroadcast: return device.scale_up.all_gather;
  }
  return device.scale_up.all_gather;
}

double bytes_sent(CollectiveKind kind, double bytes, std::int64_t devices) {
  if (devices <= 1) return 0;
  const double n = static_cast<double>(devices);
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kRaggedAllToAll: return bytes * (n - 1) / n;
    case CollectiveKind::kAllReduce: return 2 * bytes * (n - 1) / n;
    case CollectiveKind::kCollectivePermute:
    case CollectiveKind::kCollectiveBroadcast:
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv: return bytes;
  }
  return bytes;
}

double send_channels(const SendRates& rates, double bytes, std::int64_t devices) {
  if (!rates.channels) return 1;
  double channels = std::max(1.0, std::floor(*rates.channels / static_cast<double>(devices)));
  const double most = rates.channel_bytes.value_or(bytes);
  while (2 * channels <= *rates.channels && bytes > channels * most) channels *= 2;
  return channels;
}

bool relays(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
  std::unordered_map<std::int64_t, std::int64_t> target_of;
  for (const auto& [source, target] : pairs) target_of.emplace(source, target);
  return std::any_of(pairs.begin(), pairs.end(), [&](const std::pair<std::int64_t, std::int64_t>& pair) {
    const auto next = target_of.find(pair.second);
    return next != target_of.end() && next->second != pair.first;
  });
}

ScaleUpCost send_cost(const Device& device, const Send& send) {
  const ScaleUpCost inside = send_inside_domain(device, send);
  if (!send.leaves_node) return inside;
  return slower_of(inside, across_nodes(device, CollectiveKind::kCollectivePermute, send.bytes, 1, 2));
}

ScaleUpCost scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                          std::int64_t nodes) {
  const ScaleUpCost inside = inside_domain(device, kind, bytes, local);
  if (nodes <= 1) return inside;
  return slower_of(inside, across_nodes(device, kind, bytes, local, nodes));
}

}  // namespace hloroof::inline v0
