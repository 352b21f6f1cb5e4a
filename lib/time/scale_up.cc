#include "lib/time/scale_up.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hloroof::internal {
namespace {

// A number of one kind of collective. If the device does not state it, the shared number of the device is used.
double own_or(const Fact<double>& own, const Fact<double>& shared, MissingNumbers* missing) {
  if (own.has_value()) return *own;
  if (is_unknown(own) && missing != nullptr) missing->add(&own);
  return number_or(shared, 0.0, missing);
}

// The cost inside one domain, in the form of CollectiveRates.
ScaleUpCost inside_domain(const Device& device, CollectiveKind kind, double bytes, std::int64_t devices,
                          MissingNumbers* missing) {
  ScaleUpCost cost;
  if (devices <= 1) return cost;
  const CollectiveRates& rates = rates_of(device, kind);
  const double n = static_cast<double>(devices);
  cost.wire_bytes = cost.link_bytes = bytes_sent(kind, bytes, devices);
  double step = rates.step ? *rates.step : 0;
  if (!rates.step) step = own_or(rates.step, device.scale_up.latency, missing) * rounds(kind);
  cost.latency_seconds = own_or(rates.launch, device.overhead.collective, missing) + step * (n - 1);
  const double bandwidth = number_or(device.scale_up.bandwidth, 0.0, missing);
  if (bandwidth <= 0) return cost;
  if (!rates.efficiency && !rates.peer_efficiency) {
    if (missing != nullptr) missing->add(&rates.efficiency);
    cost.seconds = cost.wire_bytes / (number_or(device.scale_up.efficiency, 1.0, missing) * bandwidth);
    return cost;
  }
  cost.seconds = number_or(rates.fill, 0.0, missing) * std::sqrt(cost.wire_bytes);
  if (rates.efficiency) cost.seconds += cost.wire_bytes / (*rates.efficiency * bandwidth);
  if (rates.peer_efficiency) cost.seconds += cost.wire_bytes / (n - 1) / (*rates.peer_efficiency * bandwidth);
  return cost;
}

// The cost of a message inside one domain, in the form of SendRates.
ScaleUpCost send_inside_domain(const Device& device, const Send& send, MissingNumbers* missing) {
  const SendRates& rates = device.scale_up.permute;
  ScaleUpCost cost;
  cost.wire_bytes = cost.link_bytes = send.bytes;
  cost.latency_seconds = rates.launch ? *rates.launch
                                      : own_or(rates.launch, device.overhead.collective, missing) +
                                            number_or(device.scale_up.latency, 0.0, missing);
  const double bandwidth = send_bandwidth(device, send, missing);
  if (bandwidth > 0) cost.seconds = send.bytes / bandwidth;
  return cost;
}

// Combines the two levels, which work on different parts of the array at once.
ScaleUpCost slower_of(const ScaleUpCost& inside, const ScaleUpCost& across) {
  ScaleUpCost cost = across.seconds >= inside.seconds ? across : inside;
  cost.latency_seconds = std::max(across.latency_seconds, inside.latency_seconds);
  cost.wire_bytes = std::max(across.wire_bytes, inside.wire_bytes);
  return cost;
}

// The cost across nodes, see NetworkSteps.
ScaleUpCost across_nodes(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                         std::int64_t nodes, MissingNumbers* missing) {
  ScaleUpCost cost;
  const Network& network = device.network;
  const auto [message, steps, chunks] = network_steps(device, kind, bytes, local, nodes, missing);
  const double chunk_latency = number_or(network.chunk_latency, 0.0, missing);
  cost.latency_seconds = own_or(network.launch, device.overhead.collective, missing) +
                         steps * (number_or(network.latency, 0.0, missing) + chunk_latency);
  cost.wire_bytes = cost.link_bytes = message * steps;
  if (const double bandwidth = number_or(network.bandwidth, 0.0, missing); bandwidth > 0) {
    cost.seconds = cost.wire_bytes / (bandwidth * number_or(network.efficiency, 1.0, missing)) +
                   steps * std::max(0.0, chunks - 1) * chunk_latency;
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
  const double most = rates.channel_bytes ? *rates.channel_bytes : bytes;
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

double send_bandwidth(const Device& device, const Send& send, MissingNumbers* missing) {
  const SendRates& rates = device.scale_up.permute;
  double share = rates.efficiency ? *rates.efficiency : 0;
  if (!rates.efficiency) {
    if (missing != nullptr) missing->add(&rates.efficiency);
    share = number_or(device.scale_up.efficiency, 1.0, missing);
  }
  double bandwidth = number_or(device.scale_up.bandwidth, 0.0, missing) * share;
  if (rates.channels && rates.channel_bandwidth) {
    double channel = *rates.channel_bandwidth;
    if (send.relays) channel = number_or(rates.shared_channel_bandwidth, channel, missing);
    if (send.bytes <= number_or(rates.low_latency_bytes, 0.0, missing)) {
      channel = number_or(rates.low_latency_bandwidth, channel, missing);
    }
    bandwidth = std::min(bandwidth, channel * send_channels(rates, send.bytes, send.devices));
  }
  return bandwidth;
}

NetworkSteps network_steps(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                           std::int64_t nodes, MissingNumbers* missing) {
  NetworkSteps result;
  const double group = static_cast<double>(local * nodes);
  const double nics = static_cast<double>(local);
  result.message = bytes / group;  // bytes of one step
  result.steps = (group - 1) / nics * rounds(kind);
  if (kind == CollectiveKind::kAllToAll || kind == CollectiveKind::kRaggedAllToAll) {
    result.steps = nics * static_cast<double>(nodes - 1);  // one message to every member of every other node
  } else if (kind == CollectiveKind::kCollectivePermute || kind == CollectiveKind::kSend ||
             kind == CollectiveKind::kRecv || kind == CollectiveKind::kCollectiveBroadcast) {
    result.message = bytes;
    result.steps = 1;
  }
  const double chunk_bytes = number_or(device.network.chunk_bytes, 0.0, missing);
  if (chunk_bytes > 0) result.chunks = std::ceil(result.message / chunk_bytes);
  return result;
}

ScaleUpCost send_cost(const Device& device, const Send& send, MissingNumbers* missing) {
  const ScaleUpCost inside = send_inside_domain(device, send, missing);
  if (!send.leaves_node) return inside;
  return slower_of(inside, across_nodes(device, CollectiveKind::kCollectivePermute, send.bytes, 1, 2, missing));
}

ScaleUpCost scale_up_cost(const Device& device, CollectiveKind kind, double bytes, std::int64_t local,
                          std::int64_t nodes, MissingNumbers* missing) {
  const ScaleUpCost inside = inside_domain(device, kind, bytes, local, missing);
  if (nodes <= 1) return inside;
  return slower_of(inside, across_nodes(device, kind, bytes, local, nodes, missing));
}

}  // namespace hloroof::internal
