#include "lib/predict/costs.h"

#include <algorithm>
#include <limits>

#include "hloroof/backend_config.h"
#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/cost/op_time.h"
#include "lib/cost/work.h"
#include "lib/schedule/async_pairs.h"

namespace hloroof::inline v0 {
namespace {

double& at(SharedSeconds& busy, Resource resource) { return busy[static_cast<int>(resource)]; }

SharedSeconds shared_seconds(const OpTime& time) {
  SharedSeconds busy = {};
  for (int r = 0; r < kResourceCount; ++r) busy[r] = time.resources.seconds[r];
  return busy;
}

// The links that a collective uses, as indices into the links of Demand: the axes of the torus, in the mapping's order.
std::vector<int> links_of(const Collective& collective, const CollectiveCosts& all) {
  std::vector<int> links;
  for (int axis : spanned_axes(all.mesh, collective.groups)) {
    if (static_cast<std::size_t>(axis) >= all.mapping.pieces.size()) continue;
    for (const AxisPiece& piece : all.mapping.pieces[axis]) {
      const int link = piece.physical % kLinkCount;
      if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
    }
  }
  if (links.empty()) {
    for (int link = 0; link < kLinkCount; ++link) links.push_back(link);
  }
  return links;
}

// Adds a collective to the instruction that carries it. What the carrier does beside it overlaps.
void add_collective(const Collective& collective, const CollectiveCost& cost, const CollectiveCosts& all,
                    Opcode carrier, Costs& costs) {
  const std::uint32_t i = collective.carrier.index;
  OpTime& time = costs.time[i];
  Demand& demand = costs.demand[i];
  if (carrier != Opcode::kRecv) costs.work[i].wire_bytes += cost.wire_bytes;
  time.resources[cost.resource] += cost.bandwidth_seconds;
  time.resources[Resource::kLatency] += cost.latency_seconds;
  time.source = worse(time.source, cost.source);
  demand.seconds += cost.seconds;
  at(demand.busy, Resource::kLatency) += cost.latency_seconds;
  if (carrier == Opcode::kRecv) {
    // Links carry both ways at once, and the sender's transfer is this one: it keeps them busy there.
  } else if (cost.resource == Resource::kIci) {
    // Only those links: collectives on other axes go on beside it.
    for (int link : links_of(collective, all)) demand.busy[kResourceCount + link] += cost.bandwidth_seconds;
  } else {
    at(demand.busy, cost.resource) += cost.bandwidth_seconds;
  }
  if (demand.seconds >= time.seconds) {
    time.seconds = demand.seconds;
    time.bound = cost.latency_seconds > cost.bandwidth_seconds ? Resource::kLatency : cost.resource;
    time.efficiency = cost.utilization;
  }
}

// What an instruction other than a collective's carrier asks for.
Demand plain_demand(InstructionView instruction, const Work& work, const OpTime& time, const Device& device) {
  Demand demand;
  demand.seconds = time.seconds;
  demand.busy = shared_seconds(time);
  switch (instruction.opcode()) {
    case Opcode::kWhile:
      demand = Demand();
      demand.step = Step::kLoop;
      demand.issue = device.overhead.loop_iteration;
      return demand;
    case Opcode::kConditional:
      demand = Demand();
      demand.step = Step::kBranch;
      demand.seconds = device.overhead.op;
      return demand;
    case Opcode::kCall:
      demand = Demand();
      demand.step = Step::kCall;
      return demand;
    default: break;
  }
  switch (async_role(instruction)) {
    case AsyncRole::kStart: {
      demand.step = Step::kStart;
      demand.lane = Lane::kDma;
      // The parameter is the same in every step, and is fetched for this one at the end of the one before.
      demand.is_issued_ahead = instruction.has(AttributeKey::kCrossProgramPrefetchIndex);
      const std::string_view thread = instruction.text(AttributeKey::kAsyncExecutionThread);
      if (thread.find("sparsecore") != std::string_view::npos) {
        demand.lane = Lane::kSparseCore;
      } else if (work.read.host > 0 || work.written.host > 0) {
        demand.lane = Lane::kHost;
      }
      break;
    }
    case AsyncRole::kUpdate: return Demand();
    case AsyncRole::kDone: demand.step = Step::kDone; break;
    case AsyncRole::kNone:
      if (demand.seconds > 0) demand.step = Step::kRun;
      break;
  }
  return demand;
}

// From the work of an instruction to its time and demand. Of a carrier the time of the collectives in it is a sum, what
// it does beside them overlaps.
void time_instruction(InstructionView instruction, const CallGraph& calls, const Device& device,
                      const CollectiveCosts& collectives, Costs& costs) {
  const std::uint32_t i = instruction.id().index;
  // What XLA leaves called in a scheduled GPU module are command buffers; all other calls it inlines.
  costs.work[i].in_graph = calls.role(instruction.computation().id()) == ComputationRole::kCalled;
  costs.time[i] = op_time(costs.work[i], device);
  costs.time[i].seconds = std::min(costs.time[i].seconds, kForever);
  costs.demand[i] = plain_demand(instruction, costs.work[i], costs.time[i], device);
  const auto [first, last] = collectives.by_carrier.equal_range(i);
  if (first == last) return;
  const double beside = costs.time[i].seconds;
  Demand& demand = costs.demand[i];
  demand.seconds = 0;
  for (auto carried = first; carried != last; ++carried) {
    add_collective(collectives.collectives[carried->second], collectives.costs[carried->second], collectives,
                   instruction.opcode(), costs);
  }
  demand.seconds = std::min(std::max(demand.seconds, beside), kForever);
  if (demand.step == Step::kStart) {
    if (demand.lane == Lane::kDma) {
      const bool network = at(demand.busy, Resource::kDcn) > links_busy(demand.busy);
      demand.lane = network ? Lane::kDcn : Lane::kIci;
    }
  } else if (demand.seconds > 0) {
    demand.step = Step::kRun;
  }
}

}  // namespace

CostSource worse(CostSource a, CostSource b) { return std::max(a, b); }

absl::Status lay_out_collectives(const Module& module, const Device& device, const MeshOptions& mesh_options,
                                 const CollectiveOptions& collective_options, const CallGraph* calls,
                                 CollectiveCosts& result) {
  const std::vector<Collective>& collectives = result.collectives;
  result.mesh = calls != nullptr ? infer_mesh(module, *calls, collectives) : infer_axes(module, collectives);
  if (!mesh_options.axes.empty()) {
    absl::StatusOr<LogicalMesh> given = override_mesh(result.mesh, mesh_options.axes, module, collectives);
    if (!given.ok()) return given.status();
    result.mesh = *std::move(given);
  }
  absl::StatusOr<Topology> topology = topology_for(device, result.mesh.device_count);
  if (!topology.ok()) return topology.status();
  absl::StatusOr<PhysicalMapping> mapping = map_mesh(result.mesh, device, *topology, mesh_options);
  if (!mapping.ok()) return mapping.status();
  result.mapping = *std::move(mapping);
  if (calls != nullptr) result.roles = collective_roles(module, *calls, collectives);
  result.costs.clear();
  result.costs.reserve(collectives.size());
  for (const Collective& collective : collectives) {
    result.costs.push_back(collective_cost(collective, result.mesh, result.mapping, device, collective_options));
  }
  return absl::OkStatus();
}

absl::StatusOr<CollectiveCosts> cost_collectives(const Module& module, const CallGraph& calls, const Device& device,
                                                 const MeshOptions& mesh_options,
                                                 const CollectiveOptions& collective_options) {
  CollectiveCosts result;
  result.collectives = find_collectives(module, calls);
  if (absl::Status status = lay_out_collectives(module, device, mesh_options, collective_options, &calls, result);
      !status.ok()) {
    return status;
  }
  return result;
}

void index_carriers(const Module& module, const CallGraph& calls, CollectiveCosts& collectives) {
  collectives.by_carrier.clear();
  for (std::size_t c = 0; c < collectives.collectives.size(); ++c) {
    const InstructionId carrier = collectives.collectives[c].carrier;
    if (!carrier.valid() || !calls.is_scheduled(module.data(carrier).computation)) continue;
    if (carries_collective_step(module.instruction(carrier))) continue;
    collectives.by_carrier.emplace(carrier.index, c);
  }
}

Costs cost_instructions(const Module& module, const CallGraph& calls, const Device& device,
                        const CollectiveCosts& collectives, const std::vector<CustomCallCost>& custom_calls) {
  Costs costs;
  WorkOptions work_options;
  work_options.custom_calls = custom_calls;
  costs.work = compute_work(module, calls, work_options);
  costs.work.resize(module.instruction_limit());
  costs.time.resize(module.instruction_limit());
  costs.demand.resize(module.instruction_limit());
  for (ComputationId id : calls.scheduled()) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      time_instruction(instruction, calls, device, collectives, costs);
    }
  }
  return costs;
}

void cost_again(const Module& module, const CallGraph& calls, const Device& device, const CollectiveCosts& collectives,
                const std::vector<CustomCallCost>& custom_calls, Span<InstructionId> changed, Costs& costs) {
  WorkOptions work_options;
  work_options.custom_calls = custom_calls;
  std::vector<Work> work = compute_work(module, changed, work_options);
  costs.work.resize(module.instruction_limit());
  costs.time.resize(module.instruction_limit());
  costs.demand.resize(module.instruction_limit());
  for (std::size_t i = 0; i < changed.size(); ++i) {
    costs.work[changed[i].index] = std::move(work[i]);
    time_instruction(module.instruction(changed[i]), calls, device, collectives, costs);
  }
}

void time_again(const Module& module, const CallGraph& calls, const Device& device, const CollectiveCosts& collectives,
                Span<InstructionId> changed, Costs& costs) {
  for (InstructionId id : changed) {
    costs.work[id.index].wire_bytes = 0;  // all of it is the collectives'
    time_instruction(module.instruction(id), calls, device, collectives, costs);
  }
}

std::optional<double> compiler_seconds(InstructionView instruction, const Demand& demand, const Device& device) {
  if (!device.clock || (demand.step != Step::kRun && demand.step != Step::kStart)) return std::nullopt;
  const std::optional<std::int64_t> cycles = estimated_cycles(instruction);
  if (!cycles || *cycles <= 0) return std::nullopt;
  return static_cast<double>(*cycles) / *device.clock;
}

void use_compiler_estimate(InstructionView instruction, const Device& device, Costs& costs) {
  const std::uint32_t i = instruction.id().index;
  const std::optional<double> seconds = compiler_seconds(instruction, costs.demand[i], device);
  if (!seconds) return;
  costs.time[i].seconds = *seconds;
  costs.time[i].source = CostSource::kCompiler;
  costs.demand[i].seconds = *seconds;
}

void use_compiler_estimates(const Module& module, const CallGraph& calls, const Device& device, Costs& costs) {
  for (ComputationId id : calls.scheduled()) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      use_compiler_estimate(instruction, device, costs);
    }
  }
}

}  // namespace hloroof::inline v0
