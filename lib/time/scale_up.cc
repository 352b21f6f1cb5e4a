#include "lib/time/scale_up.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"

namespace hloroof::internal::inline time {
namespace {

// A number of one kind of collective. If the device does not state it, the shared number of the device is used.
template <class Num>
Num own_or(const Fact<double>& own, const Fact<double>& shared, const Numbers<Num>& n) {
  return n.has(own) ? n.at(*own, &own) : n.known_or(shared, 0.0);
}

// The cost inside one domain, in the form of CollectiveRates.
template <class Num>
ScaleUpCost<Num> inside_domain(CollectiveKind kind, double bytes, std::int64_t devices, const Numbers<Num>& n) {
  ScaleUpCost<Num> cost;
  if (devices <= 1) return cost;
  const Device& device = n.device();
  const CollectiveRates& rates = rates_of(device, kind);
  const double peers = static_cast<double>(devices) - 1;
  cost.wire_bytes = cost.link_bytes = bytes_sent(kind, bytes, devices);
  const Num step =
      rates.step ? n.at(*rates.step, &rates.step) : own_or(rates.step, device.scale_up.latency, n) * rounds(kind);
  cost.latency_seconds =
      sum("launch and steps", n.amount("launch", 1, "") * own_or(rates.launch, device.overhead.collective, n),
          n.amount("steps in the domain", peers, "step") * step);
  const Num bandwidth = n.known_or(device.scale_up.bandwidth, 0.0);
  if (value(bandwidth) <= 0) return cost;
  if (!rates.efficiency && !rates.peer_efficiency) {
    if (n.missing() != nullptr) n.missing()->add(&rates.efficiency);
    cost.seconds =
        n.amount("bytes sent", cost.wire_bytes, "B") / (n.known_or(device.scale_up.efficiency, 1.0) * bandwidth);
    return cost;
  }
  const auto moved = [&](std::string_view name, double amount, const Fact<double>& efficiency) {
    if (!efficiency) return Num(0.0);
    return n.amount(name, amount, "B") / (n.at(*efficiency, &efficiency) * bandwidth);
  };
  cost.seconds = sum("bytes sent in the domain",
                     n.amount("pipeline of chunks", std::sqrt(cost.wire_bytes), "B^0.5") * n.known_or(rates.fill, 0.0),
                     moved("bytes to all peers", cost.wire_bytes, rates.efficiency),
                     moved("bytes to one peer", cost.wire_bytes / peers, rates.peer_efficiency));
  return cost;
}

// The bandwidth of a message inside one domain, in bytes/s; 0 if no rate is known.
template <class Num>
Num send_bandwidth(const Send& send, const Numbers<Num>& n) {
  const ScaleUp& scale_up = n.device().scale_up;
  const SendRates& rates = scale_up.permute;
  const Num share =
      n.has(rates.efficiency) ? n.at(*rates.efficiency, &rates.efficiency) : n.known_or(scale_up.efficiency, 1.0);
  Num bandwidth = n.known_or(scale_up.bandwidth, 0.0) * share;
  if (rates.channels && rates.channel_bandwidth) {
    Num channel = n.at(*rates.channel_bandwidth, &rates.channel_bandwidth);
    if (send.relays) channel = n.known_or(rates.shared_channel_bandwidth, channel);
    if (send.bytes <= number_or(rates.low_latency_bytes, 0.0, n.missing())) {
      channel = n.known_or(rates.low_latency_bandwidth, channel);
    }
    const Num all = channel * send_channels(rates, send.bytes, send.devices);
    if (value(all) < value(bandwidth)) bandwidth = all;
  }
  return bandwidth;
}

// The cost of a message inside one domain, in the form of SendRates.
template <class Num>
ScaleUpCost<Num> send_inside_domain(const Send& send, const Numbers<Num>& n) {
  const Device& device = n.device();
  const SendRates& rates = device.scale_up.permute;
  ScaleUpCost<Num> cost;
  cost.wire_bytes = cost.link_bytes = send.bytes;
  const Num launch = n.amount("launch", 1, "") * own_or(rates.launch, device.overhead.collective, n);
  cost.latency_seconds =
      rates.launch ? launch : sum("launch", launch, n.amount("step", 1, "") * n.known_or(device.scale_up.latency, 0.0));
  cost.seconds = over(n.amount("bytes sent", send.bytes, "B"), send_bandwidth(send, n));
  return cost;
}

// Combines the two levels, which work on different parts of the array at once.
template <class Num>
ScaleUpCost<Num> slower_of(const ScaleUpCost<Num>& inside, const ScaleUpCost<Num>& across) {
  ScaleUpCost<Num> cost = value(across.seconds) >= value(inside.seconds) ? across : inside;
  cost.seconds = slowest("bytes on both levels at once", inside.seconds, across.seconds);
  cost.latency_seconds = slowest("latency of both levels at once", inside.latency_seconds, across.latency_seconds);
  cost.wire_bytes = std::max(across.wire_bytes, inside.wire_bytes);
  return cost;
}

// The steps of a collective across the network. It runs rings through the NICs, one for each local member, as in XLA's
// speed-of-light model (xla/service/gpu/model/sol_gpu_cost_model.cc). In each step a NIC sends one message, cut into
// chunks.
struct NetworkSteps {
  double message = 0;  // bytes
  double steps = 0;
  double chunks = 1;  // chunks in a message
};
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

// The cost across nodes, see NetworkSteps.
template <class Num>
ScaleUpCost<Num> across_nodes(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                              const Numbers<Num>& n) {
  ScaleUpCost<Num> cost;
  const Network& network = n.device().network;
  const auto [message, steps, chunks] = network_steps(n.device(), kind, bytes, local, nodes, n.missing());
  const Num chunk_latency = n.known_or(network.chunk_latency, 0.0);
  const Num launch =
      n.amount("launch over the network", 1, "") * own_or(network.launch, n.device().overhead.collective, n);
  const Num step = sum("", n.amount("network steps", 1, "step") * n.known_or(network.latency, 0.0),
                       n.amount("first chunks", 1, "chunk") * chunk_latency);
  cost.latency_seconds = sum("launch and steps over the network", launch, step * steps);
  cost.wire_bytes = cost.link_bytes = message * steps;
  if (const Num bandwidth = n.known_or(network.bandwidth, 0.0); value(bandwidth) > 0) {
    cost.seconds = sum(
        "bytes over the network",
        n.amount("bytes over the network", cost.wire_bytes, "B") / (bandwidth * n.known_or(network.efficiency, 1.0)),
        n.amount("other chunks", steps * std::max(0.0, chunks - 1), "chunk") * chunk_latency);
  }
  cost.network_seconds = value(cost.seconds);
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

template <class Num>
ScaleUpCost<Num> send_cost(const Send& send, const Numbers<Num>& n) {
  const ScaleUpCost<Num> inside = send_inside_domain(send, n);
  if (!send.leaves_node) return inside;
  return slower_of(inside, across_nodes(CollectiveKind::kCollectivePermute, send.bytes, 1, 2, n));
}
template ScaleUpCost<double> send_cost(const Send&, const Numbers<double>&);
template ScaleUpCost<Traced> send_cost(const Send&, const Numbers<Traced>&);

template <class Num>
ScaleUpCost<Num> scale_up_cost(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                               const Numbers<Num>& n) {
  const ScaleUpCost<Num> inside = inside_domain(kind, bytes, local, n);
  if (nodes <= 1) return inside;
  return slower_of(inside, across_nodes(kind, bytes, local, nodes, n));
}
template ScaleUpCost<double> scale_up_cost(CollectiveKind, double, std::int64_t, std::int64_t, const Numbers<double>&);
template ScaleUpCost<Traced> scale_up_cost(CollectiveKind, double, std::int64_t, std::int64_t, const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
