// Builds the time of a collective as a tree of terms from its CollectiveParts.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/analysis/mesh.h"
#include "lib/base/strings.h"
#include "lib/time/collective.h"
#include "lib/time/collective_parts.h"
#include "lib/time/term_builder.h"
#include "lib/time/terms.h"

namespace hloroof::internal {
namespace {

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

// Expresses a rate as the parameters of its link and a factor for the difference from them. The difference has one of
// three reasons: a ring uses both directions, groups share a link, or a sender waits for its neighbour.
std::vector<Factor> over_link(LinkKind link, double rate, const DeviceFactors& device) {
  std::vector<Factor> factors;
  switch (link) {
    case LinkKind::kIci: factors = {device.over({"ici.link_bandwidth"})}; break;
    case LinkKind::kDieToDie: factors = {device.over({"ici.die_to_die_bandwidth", "ici.link_bandwidth"})}; break;
    case LinkKind::kScaleUp:
      factors = {device.over({"scale_up.bandwidth"}), device.over({"scale_up.efficiency"})};
      break;
    case LinkKind::kDcn:
    case LinkKind::kNetwork: factors = {device.over({"network.bandwidth"}), device.over({"network.efficiency"})}; break;
  }
  factors.erase(std::remove_if(factors.begin(), factors.end(), [](const Factor& f) { return f.parameters.empty(); }),
                factors.end());
  double known = 1;
  for (const Factor& factor : factors) known *= factor.value;
  if (std::abs(rate / known - 1) < 1e-14) return factors;
  const bool waits = link == LinkKind::kIci && device.value("ici.message_bytes");
  factors.push_back(waits ? device.derived(rate / known, "1", true, {"ici.message_bytes", "ici.hop_latency"})
                          : over(rate / known));
  return factors;
}

Term step_term(const TorusStep& step, const DeviceFactors& device) {
  const std::string axis = step.size > 1 ? absl::StrFormat("%s of %d", step.wraps ? "ring" : "line", step.size) : "";
  return leaf(absl::StrCat("bytes over ", link_name(step.link)), step.bytes / step.rate, step.bytes, "B",
              over_link(step.link, step.rate, device), axis);
}

Term hops_term(const TorusHops& hops, const DeviceFactors& device) {
  Factor latency = device.times({"ici.hop_latency"});
  if (hops.link == LinkKind::kScaleUp) latency = device.times({"scale_up.latency"});
  if (hops.link == LinkKind::kDcn || hops.link == LinkKind::kNetwork) latency = device.times({"network.latency"});
  // The members of a group may be several links apart.
  std::vector<Factor> factors = {latency};
  if (hops.latency != latency.value) factors.push_back(times(hops.latency / latency.value));
  if (hops.share != 1) factors.push_back(device.times({"ici.mean_distance"}));
  return leaf(absl::StrCat("hops over ", link_name(hops.link)), hops.count * hops.latency * hops.share, hops.count,
              "hop", std::move(factors));
}

Term torus_terms(const CollectiveParts& parts, const DeviceFactors& device) {
  std::vector<Term> steps;
  for (const TorusStep& step : parts.torus.steps) {
    if (step.bytes > 0) steps.push_back(step_term(step, device));
  }
  std::vector<Term> hops;
  for (const TorusHops& one : parts.torus.hops) hops.push_back(hops_term(one, device));
  Term moving = parts.torus.at_once ? slowest("bytes over all axes at once", std::move(steps))
                                    : sum("bytes over one axis after another", std::move(steps));
  Term hopping = sum("hops", std::move(hops));
  if (parts.passes != 1) {
    moving = scaled(std::move(moving), times(parts.passes));
    hopping = scaled(std::move(hopping), times(parts.passes));
  }
  if (parts.imbalance != 1) moving = scaled(std::move(moving), times(parts.imbalance));
  return sum("collective", {std::move(moving), std::move(hopping),
                            device.seconds("each collective", 1, "", {"overhead.collective"})});
}

Term slices_terms(const CollectiveParts& parts, const DeviceFactors& device) {
  const SliceTransferCost& between = parts.between;
  Term network;
  if (between.network_seconds > 0) {
    network = leaf("bytes over network", between.network_seconds, between.wire_bytes, "B",
                   over_link(LinkKind::kDcn, between.wire_bytes / between.network_seconds, device));
  }
  Term reduction = leaf("reduction by the host", between.reduction_seconds, between.reduction_bytes, "B",
                        {device.over({"network.reduction_bandwidth"})});
  return sum("collective",
             {slowest("stages of the hosts at once", {std::move(network), std::move(reduction)}),
              device.seconds("each transfer", 1, "", {"network.launch", "overhead.collective"}),
              device.seconds("steps over network", between.steps, "step", {"network.latency"}),
              device.seconds("last slice to arrive", between.last_arrival, "deviation", {"network.skew"})});
}

const char* rates_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kReduceScatter: return "scale_up.reduce_scatter.";
    case CollectiveKind::kAllReduce: return "scale_up.all_reduce.";
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kRaggedAllToAll: return "scale_up.all_to_all.";
    default: return "scale_up.all_gather.";
  }
}

// The time for the bytes, and the latency that does not depend on them. The two are separate, because each takes its
// value from the slower of the two levels.
struct LevelTerms {
  Term moving;
  Term latency;
};

// Follows the formula of CollectiveRates.
LevelTerms inside_domain(const Collective& collective, const CollectiveParts& parts, const DeviceFactors& device) {
  LevelTerms level;
  if (parts.local <= 1) return level;
  const std::string rates = rates_name(collective.kind);
  const double peers = static_cast<double>(parts.local - 1);
  const double bytes = bytes_sent(collective.kind, parts.bytes, parts.local);
  Term steps = device.value(rates + "step") ? device.seconds("steps in the domain", peers, "step", {rates + "step"})
                                            : device.seconds("steps in the domain", peers * rounds(collective.kind),
                                                             "step", {"scale_up.latency"});
  level.latency = sum("launch and steps",
                      {device.seconds("launch", 1, "", {rates + "launch", "overhead.collective"}), std::move(steps)});
  const Factor bandwidth = device.over({"scale_up.bandwidth"});
  if (bandwidth.parameters.empty()) return level;
  const auto moved = [&](const char* name, double amount, const std::string& efficiency) {
    const Factor share = device.over({efficiency});
    if (share.parameters.empty()) return Term();
    return leaf(name, amount / share.value / bandwidth.value, amount, "B", {bandwidth, share});
  };
  if (!device.value(rates + "efficiency") && !device.value(rates + "peer_efficiency")) {
    const Factor share = device.over({"scale_up.efficiency"});
    level.moving = leaf("bytes sent", bytes / share.value / bandwidth.value, bytes, "B", {bandwidth, share});
    return level;
  }
  level.moving = sum("bytes sent in the domain",
                     {device.seconds("pipeline of chunks", std::sqrt(bytes), "B^0.5", {rates + "fill"}),
                      moved("bytes to all peers", bytes, rates + "efficiency"),
                      moved("bytes to one peer", bytes / peers, rates + "peer_efficiency")});
  return level;
}

LevelTerms message_inside_domain(const CollectiveParts& parts, const DeviceFactors& device, const Device& d) {
  LevelTerms level;
  level.latency = device.value("scale_up.permute.launch")
                      ? device.seconds("launch", 1, "", {"scale_up.permute.launch"})
                      : sum("launch", {device.seconds("launch", 1, "", {"overhead.collective"}),
                                       device.seconds("step", 1, "", {"scale_up.latency"})});
  const double bandwidth = send_bandwidth(d, parts.send);
  if (bandwidth <= 0) return level;
  const Factor rate = device.derived(bandwidth, "B/s", true,
                                     {"scale_up.bandwidth", "scale_up.permute.efficiency", "scale_up.permute.channels",
                                      "scale_up.permute.channel_bytes", "scale_up.permute.channel_bandwidth",
                                      "scale_up.permute.shared_channel_bandwidth", "scale_up.permute.low_latency_bytes",
                                      "scale_up.permute.low_latency_bandwidth"});
  level.moving = leaf("bytes sent", parts.send.bytes / bandwidth, parts.send.bytes, "B", {rate});
  return level;
}

LevelTerms across_nodes(CollectiveKind kind, double bytes, std::int64_t local, std::int64_t nodes,
                        const DeviceFactors& device, const Device& d) {
  LevelTerms level;
  const NetworkSteps way = network_steps(d, kind, bytes, local, nodes);
  level.latency = sum("launch and steps over the network",
                      {device.seconds("launch over the network", 1, "", {"network.launch", "overhead.collective"}),
                       device.seconds("network steps", way.steps, "step", {"network.latency"}),
                       device.seconds("first chunks", way.steps, "chunk", {"network.chunk_latency"})});
  const Factor bandwidth = device.over({"network.bandwidth"});
  if (bandwidth.parameters.empty()) return level;
  const Factor share = device.over({"network.efficiency"});
  const double sent = way.message * way.steps;
  level.moving = sum(
      "bytes over the network",
      {leaf("bytes over the network", sent / share.value / bandwidth.value, sent, "B", {bandwidth, share}),
       device.seconds("other chunks", way.steps * std::max(0.0, way.chunks - 1), "chunk", {"network.chunk_latency"})});
  return level;
}

Term scale_up_terms(const Collective& collective, const CollectiveParts& parts, const Device& d) {
  const DeviceFactors device(d);
  LevelTerms inside =
      parts.is_message ? message_inside_domain(parts, device, d) : inside_domain(collective, parts, device);
  LevelTerms across;
  if (parts.is_message && parts.send.leaves_node) {
    across = across_nodes(CollectiveKind::kCollectivePermute, parts.send.bytes, 1, 2, device, d);
  } else if (!parts.is_message && parts.nodes > 1) {
    across = across_nodes(collective.kind, parts.bytes, parts.local, parts.nodes, device, d);
  }
  Term moving = slowest("bytes on both levels at once", {std::move(inside.moving), std::move(across.moving)});
  if (parts.imbalance != 1) moving = scaled(std::move(moving), times(parts.imbalance));
  return sum("collective", {std::move(moving), slowest("latency of both levels at once",
                                                       {std::move(inside.latency), std::move(across.latency)})});
}

}  // namespace

Term collective_terms(const Collective& collective, const LogicalMesh& mesh, const PhysicalMapping& mapping,
                      const Device& device, const CollectiveOptions& options) {
  CollectiveParts parts;
  const CollectiveCost cost = collective_cost(collective, mesh, mapping, device, options, &parts);
  Term term;
  if (parts.form == CollectiveForm::kTorus) term = torus_terms(parts, DeviceFactors(device));
  if (parts.form == CollectiveForm::kSlices) term = slices_terms(parts, DeviceFactors(device));
  if (parts.form == CollectiveForm::kScaleUp) term = scale_up_terms(collective, parts, device);
  if (term.seconds <= 0) return term;
  // The root is named after the kind of collective; a single leaf keeps its name.
  if (!term.is_leaf()) term.name = std::string(to_string(collective.kind));
  if (collective.runs != 1) term = scaled(std::move(term), times(collective.runs));
  term.note = cost.algorithm;
  return term;
}

}  // namespace hloroof::internal
