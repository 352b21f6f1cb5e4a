#include "lib/time/scale_up.h"

#include <algorithm>
#include <bit>
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

// The time that messages to all peers take, whatever their size.
template <class Num>
Num messages_seconds(const CollectiveRates& rates, double peers, const Numbers<Num>& n) {
  if (!rates.square) return 0.0;
  return n.amount("square of the peers", peers * peers, "") * n.at(*rates.square, &rates.square);
}

// The time in which a device sends `sent` bytes to all of its peers at the rates of a kind of collective.
template <class Num>
Num sending_seconds(const CollectiveRates& rates, double sent, double peers, const Num& bandwidth,
                    const Numbers<Num>& n) {
  const auto moved = [&](std::string_view name, double amount, const Fact<double>& efficiency) {
    if (!efficiency) return Num(0.0);
    return n.amount(name, amount, "B") / (n.at(*efficiency, &efficiency) * bandwidth);
  };
  return sum("bytes sent in the domain",
             n.amount("pipeline of chunks", std::sqrt(sent), "B^0.5") * n.known_or(rates.fill, 0.0),
             moved("bytes to all peers", sent, rates.efficiency),
             moved("bytes to one peer", sent / peers, rates.peer_efficiency), messages_seconds(rates, peers, n));
}

// The time of an all-to-all whose messages carry a flag in every word. NCCL sends them on all channels. Messages that
// are a little larger carry no flags and may take less time.
template <class Num>
Num low_latency_seconds(const CollectiveRates& rates, double message, std::int64_t devices, const Numbers<Num>& n) {
  const SendRates& sends = n.device().scale_up.permute;
  const Num all_channels = n.known_or(sends.channels, 0.0) * n.known_or(sends.low_latency_bandwidth, 0.0);
  return slowest("low-latency messages", messages_seconds(rates, static_cast<double>(devices) - 1, n),
                 over(n.amount("messages in rounds", exchange_rounds(devices) * message, "B"), all_channels));
}

// The steps of a collective in which `peers` other devices take part.
template <class Num>
Num steps(const CollectiveRates& rates, double peers, const Numbers<Num>& n) {
  if (step_count(rates, peers) == peers) return n.amount("steps in the domain", peers, "step");
  return n.amount("steps at most", 1, "step") * n.at(*rates.most_steps, &rates.most_steps);
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
          steps(rates, peers, n) * step);
  const Num bandwidth = n.known_or(device.scale_up.bandwidth, 0.0);
  if (value(bandwidth) <= 0) return cost;
  if (!rates.efficiency && !rates.peer_efficiency) {
    if (n.missing() != nullptr) n.missing()->add(&rates.efficiency);
    cost.seconds =
        n.amount("bytes sent", cost.wire_bytes, "B") / (n.known_or(device.scale_up.efficiency, 1.0) * bandwidth);
    return cost;
  }
  const double message = cost.wire_bytes / peers;
  cost.seconds = rates.low_latency_bytes && message <= *rates.low_latency_bytes
                     ? low_latency_seconds(rates, message, devices, n)
                     : sending_seconds(rates, cost.wire_bytes, peers, bandwidth, n);
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
  cost.domain_seconds = value(inside.seconds);
  cost.network_seconds = value(across.seconds);
  cost.tree = across.tree;
  return cost;
}

// The bytes that one NIC sends, in steps that each wait for the one before. In each step it sends one message, cut into
// chunks.
struct NetworkSteps {
  double message = 0;  // bytes
  double steps = 0;
  bool tree = false;
};

// Rings through the NICs, one for each local member, as in XLA's speed-of-light model
// (xla/service/gpu/model/sol_gpu_cost_model.cc).
NetworkSteps ring_steps(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes) {
  const double group = static_cast<double>(local * nodes);
  const double nics = static_cast<double>(local);
  switch (kind) {
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kRaggedAllToAll:  // one message to every member of every other node
      return {bytes / group, nics * static_cast<double>(nodes - 1)};
    case CollectiveKind::kCollectivePermute:
    case CollectiveKind::kSend:
    case CollectiveKind::kRecv:
    case CollectiveKind::kCollectiveBroadcast: return {bytes, 1};
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllReduce: break;
  }
  return {bytes / group, (group - 1) / nics * rounds(kind)};
}

// An all-reduce over two binary trees of nodes, each of which has half of the data and every node inside at most one
// (NCCL, src/graph/trees.cc). Each local member has its share of the data. A node inside a tree sends to its parent and
// to two children, and as a leaf of the other tree to its parent: twice the data. Two nodes send it once, three one and
// a half times.
NetworkSteps tree_steps(double bytes, std::int64_t local, std::int64_t nodes) {
  NetworkSteps result;
  result.tree = true;
  result.steps = 2 * std::ceil(std::log2(static_cast<double>(nodes)));
  const double sent = bytes / static_cast<double>(local) * std::min(2.0, static_cast<double>(nodes) / 2);
  result.message = sent / result.steps;
  return result;
}

// The share of the nominal bandwidth of its network that a device has for large transfers.
template <class Num>
Num network_share(const Numbers<Num>& n) {
  const Network& network = n.device().network;
  Num bandwidth = n.known_or(network.bandwidth, 0.0);
  if (n.device().gpu() != nullptr && n.has(network.nics)) {
    bandwidth = bandwidth * n.at(*network.nics, &network.nics) /
                (n.has(network.node_devices) ? n.at(*network.node_devices, &network.node_devices)
                                             : n.at(n.device().scale_up.domain));
  }
  return bandwidth * n.known_or(network.efficiency, 1.0);
}

// The time of `plan` across nodes, over NICs that send `bandwidth` bytes/s.
template <class Num>
ScaleUpCost<Num> network_cost(const NetworkSteps& plan, const Num& bandwidth, const Numbers<Num>& n) {
  ScaleUpCost<Num> cost;
  const Network& network = n.device().network;
  const double chunk_bytes = number_or(network.chunk_bytes, 0.0, n.missing());
  const double chunks = chunk_bytes > 0 ? std::ceil(plan.message / chunk_bytes) : 1;
  const Num chunk_latency = n.known_or(network.chunk_latency, 0.0);
  const Num launch =
      n.amount("launch over the network", 1, "") * own_or(network.launch, n.device().overhead.collective, n);
  const Num step = sum("", n.amount("network steps", 1, "step") * n.known_or(network.latency, 0.0),
                       n.amount("first chunks", 1, "chunk") * chunk_latency);
  cost.tree = plan.tree;
  cost.latency_seconds = sum("launch and steps over the network", launch, step * plan.steps);
  cost.wire_bytes = cost.link_bytes = plan.message * plan.steps;
  if (value(bandwidth) > 0) {
    cost.seconds = sum("bytes over the network", n.amount("bytes over the network", cost.wire_bytes, "B") / bandwidth,
                       n.amount("other chunks", plan.steps * std::max(0.0, chunks - 1), "chunk") * chunk_latency);
  }
  return cost;
}

// The cost across nodes. An all-reduce takes trees if the switch of the domain reduces, since then each local member
// has its share of the sums at once. Otherwise it takes trees or rings, whichever NCCL estimates to be faster
// (src/graph/tuning.cc): trees wait for fewer steps, but send twice the data at a lower rate, even between two nodes.
template <class Num>
ScaleUpCost<Num> across_nodes(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                              const Numbers<Num>& n) {
  const Device& device = n.device();
  const Num bandwidth = network_share(n);
  const NetworkSteps ring = ring_steps(kind, bytes, local, nodes);
  if (kind != CollectiveKind::kAllReduce || device.gpu() == nullptr) return network_cost(ring, bandwidth, n);
  const NetworkSteps tree = tree_steps(bytes, local, nodes);
  if (device.scale_up.reduces_in_switch) return network_cost(tree, bandwidth, n);
  if (!n.has(device.network.tree_efficiency)) return network_cost(ring, bandwidth, n);
  const Num tree_bandwidth = bandwidth * n.at(*device.network.tree_efficiency, &device.network.tree_efficiency);
  NetworkSteps estimate = tree;
  estimate.message = 2 * bytes / static_cast<double>(local) / tree.steps;
  const Numbers<double> plain(device);
  const auto seconds = [&](const NetworkSteps& plan, const Num& rate) {
    const ScaleUpCost<double> cost = network_cost(plan, value(rate), plain);
    return cost.seconds + cost.latency_seconds;
  };
  if (seconds(ring, bandwidth) <= seconds(estimate, tree_bandwidth)) return network_cost(ring, bandwidth, n);
  return network_cost(tree, tree_bandwidth, n);
}

// The cost of messages between nodes. Where few devices of a node send, each has whole NICs.
template <class Num>
ScaleUpCost<Num> send_across_nodes(const Send& send, const Numbers<Num>& n) {
  Num bandwidth = network_share(n);
  if (const double nics = nics_of_device(n.device()); nics < 1) {
    const double node = *n.device().network.nics / nics;  // devices of a node
    bandwidth = bandwidth * std::max(1.0, std::min(1 / nics, node / send.leaving));
  }
  return network_cost(ring_steps(CollectiveKind::kCollectivePermute, send.bytes, 1, 2), bandwidth, n);
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

double step_count(const CollectiveRates& rates, double peers) {
  return rates.most_steps ? std::min(peers, *rates.most_steps) : peers;
}

double exchange_rounds(std::int64_t devices) {
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(devices)));
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
  ScaleUpCost<Num> inside = send_inside_domain(send, n);
  inside.domain_seconds = value(inside.seconds);
  if (send.leaving <= 0) return inside;
  return slower_of(inside, send_across_nodes(send, n));
}
template ScaleUpCost<double> send_cost(const Send&, const Numbers<double>&);
template ScaleUpCost<Traced> send_cost(const Send&, const Numbers<Traced>&);

template <class Num>
ScaleUpCost<Num> scale_up_cost(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                               const Numbers<Num>& n) {
  ScaleUpCost<Num> inside = inside_domain(kind, bytes, local, n);
  inside.domain_seconds = value(inside.seconds);
  if (nodes <= 1) return inside;
  return slower_of(inside, across_nodes(kind, bytes, local, nodes, n));
}
template ScaleUpCost<double> scale_up_cost(CollectiveKind, double, std::int64_t, std::int64_t, const Numbers<double>&);
template ScaleUpCost<Traced> scale_up_cost(CollectiveKind, double, std::int64_t, std::int64_t, const Numbers<Traced>&);

}  // namespace hloroof::internal::inline time
