#include "lib/step/costs.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lib/analysis/axis_roles.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/analysis/mesh.h"
#include "lib/base/strings.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/topology.h"
#include "lib/ir/rows.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/list_schedule.h"
#include "lib/step/device_count.h"
#include "lib/step/messages.h"
#include "lib/step/slice_copies.h"
#include "lib/time/assumed_rate.h"
#include "lib/time/collective.h"
#include "lib/time/op_time.h"
#include "lib/time/sustained_rate.h"
#include "lib/values/backend_config.h"
#include "lib/work/same_work.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline step {
namespace {

double& at(SharedSeconds& busy, Resource resource) { return busy[static_cast<int>(resource)]; }

SharedSeconds shared_seconds(const OpTime& time) {
  SharedSeconds busy = {};
  for (int r = 0; r < kResourceCount; ++r) busy[r] = time.resources.seconds[r];
  return busy;
}

// Returns the links that a collective uses, as indices into the links of Demand. The links are the axes of the torus,
// in the order of the mapping. Permutes in the two directions of an axis share it, although its links are two: of three
// training steps measured on v5p (tests/accuracy/steps) those of rings in both directions come out 5 to 7 % too fast
// otherwise, and within 2 % so.
std::vector<int> links_of(const Collective& collective, const CollectiveCosts& all) {
  std::vector<int> links;
  for (int axis : spanned_axes(all.mesh, collective.groups)) {
    if (static_cast<std::size_t>(axis) >= all.mapping.pieces.size()) continue;
    for (const AxisPiece& piece : all.mapping.pieces[axis]) {
      if (all.mapping.physical[piece.physical].link == LinkKind::kNetwork)
        continue;  // of GPUs, whose network is a separate resource
      const int link = piece.physical % kMostLinks;
      if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
    }
  }
  if (links.empty()) {
    for (int link = 0; link < kMostLinks; ++link) links.push_back(link);
  }
  return links;
}

// Adds a collective to the time and the demand of the instruction that carries it. Other work of the carrier overlaps
// the collective.
void add_collective(const Collective& collective, const CollectiveCost& cost, const CollectiveCosts& all,
                    Opcode carrier, OpTime& time, Demand& demand) {
  const bool only_receives = carrier == Opcode::kRecv && collective.slices == 0;
  if (!only_receives) time.wire_bytes += cost.wire_bytes;
  time.resources[cost.resource] += cost.bandwidth_seconds;
  time.resources[Resource::kLatency] += cost.latency_seconds;
  time.source = worse(time.source, cost.source);
  demand.seconds += cost.seconds;
  at(demand.busy, Resource::kLatency) += cost.latency_seconds;
  if (only_receives) {
    // Links are full duplex, and the send performs the same transfer. The demand of the send has its link time.
  } else if (cost.resource == Resource::kIci) {
    // Charge only these links, so that collectives on other axes overlap this one at full speed.
    for (int link : links_of(collective, all)) demand.busy[kResourceCount + link] += cost.bandwidth_seconds;
  } else {
    at(demand.busy, cost.resource) += cost.bandwidth_seconds;
  }
  if (cost.other_level_seconds > 0 && !only_receives) {
    // The other level of a machine with two is busy as well.
    const bool on_network = cost.resource != Resource::kDcn;
    time.resources[on_network ? Resource::kDcn : Resource::kIci] += cost.other_level_seconds;
    if (on_network) {
      at(demand.busy, Resource::kDcn) += cost.other_level_seconds;
    } else {
      for (int link : links_of(collective, all)) demand.busy[kResourceCount + link] += cost.other_level_seconds;
    }
  }
  if (demand.seconds >= time.seconds) {
    time.seconds = demand.seconds;
    time.bound = cost.latency_seconds > cost.bandwidth_seconds ? Resource::kLatency : cost.resource;
    time.efficiency = cost.utilization;
  }
}

// Returns the demand of an instruction without the collectives that it carries.
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
      // The parameter is the same in every step, so the end of the previous step prefetches it for this one.
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

// The collectives that an instruction carries: a range of by_carrier.
using CarrierRange = std::pair<CarrierIndex::Iterator, CarrierIndex::Iterator>;

// The collectives in a carrier run one after another, so their times add up. Other work of the carrier overlaps them.
void add_collectives(InstructionView instruction, const CollectiveCosts& collectives, const CarrierRange& carried,
                     OpTime& time, Demand& demand) {
  if (carried.first == carried.second) return;
  const double beside = time.seconds;
  demand.seconds = 0;
  for (auto c = carried.first; c != carried.second; ++c) {
    add_collective(collectives.collectives[c->second], collectives.costs[c->second], collectives, instruction.opcode(),
                   time, demand);
  }
  demand.seconds = std::min(std::max(demand.seconds, beside), kForever);
  if (demand.step == Step::kStart) {
    if (demand.lane == Lane::kDma || collectives.collectives[carried.first->second].slices > 0) {
      const bool network = at(demand.busy, Resource::kDcn) > links_busy(demand.busy);
      demand.lane = network ? Lane::kDcn : Lane::kIci;
    }
  } else if (demand.seconds > 0) {
    demand.step = Step::kRun;
  }
}

// Kernels that run beside a collective on a GPU do without the multiprocessors that it holds: with a share h of them
// held, what fills the GPU takes 1 / (1 - h) times as long, as if the collective put a load of h / (1 - h) on them.
void hold_multiprocessors(const Device& device, Demand& demand) {
  const GpuCore* const core = device.gpu();
  if (core == nullptr || demand.step != Step::kStart || !core->vector.collective_units) return;
  const double left = static_cast<double>(core->vector.compute_units) - *core->vector.collective_units;
  if (left > 0) demand.held_units = *core->vector.collective_units / left;
}

// A fusion that starts a collective performs the first step of its ring before it ends. A ring passes data on in both
// directions, so that it takes half as many steps as it has members. On v5p 2x2x1 the starts of collectives of two
// steps were observed to take 0.46 to 0.52 of them (XPROF-GOLD in data/hardware/sources.json).
void hold_start(InstructionView instruction, const CollectiveCosts& collectives, const CarrierRange& carried,
                Demand& demand) {
  if (demand.step != Step::kStart || instruction.opcode() != Opcode::kFusion) return;
  for (auto c = carried.first; c != carried.second; ++c) {
    const CollectiveCost& cost = collectives.costs[c->second];
    demand.held += cost.seconds / static_cast<double>(std::max<std::int64_t>(cost.group_size / 2, 1));
  }
}

// A program on SparseCores keeps them busy while it runs. One whose cores the text does not state runs on the first. A
// core beyond those of the device counts as its last.
void occupy_sparse_cores(InstructionView instruction, const Device& device, Demand& demand) {
  if (demand.lane != Lane::kSparseCore) return;
  std::int64_t count = kMostSparseCores;
  if (const TpuCore* const tpu = device.tpu(); tpu != nullptr && tpu->sparse_cores) {
    count = std::min(count, *tpu->sparse_cores);
  }
  std::vector<std::int64_t> cores = sparse_cores(instruction);
  if (cores.empty()) cores = {0};
  for (const std::int64_t core : cores) {
    const std::int64_t at = std::clamp<std::int64_t>(core, 0, count - 1);
    demand.busy[kFirstSparseCore + static_cast<std::size_t>(at)] = demand.seconds;
  }
}

// The transfer between slices begins when the send hands the data to the host, wherever its recv is issued. Its time is
// that of the recv. The send itself occupies the link to the host until the host has the data. The data from the host
// arrives at the rate of the network, far below those of HBM and of that link, which is full duplex, so that it slows
// down nothing there.
void join_halves(InstructionView instruction, const CollectiveCosts& collectives, Demand& demand) {
  const auto other = collectives.slice_halves.find(instruction.id().index);
  if (other == collectives.slice_halves.end() || demand.step != Step::kStart) return;
  if (instruction.opcode() == Opcode::kSend) {
    demand.also_starts = other->second;
  } else {
    demand.is_begun_by_other = true;
    at(demand.busy, Resource::kHost) = 0;
    at(demand.busy, Resource::kHbm) = 0;
  }
}

// Adds the transfers of gradients that begin when the instruction ends. A transfer without a done continues with them.
void add_exchanges(InstructionId id, const CollectiveCosts& collectives, Demand& demand) {
  for (const GradientExchange& exchange : collectives.exchanges) {
    if (exchange.after != id) continue;
    if (demand.step == Step::kStart) {
      demand.seconds = std::min(kForever, demand.seconds + exchange.cost.seconds);
      at(demand.busy, Resource::kDcn) += exchange.cost.bandwidth_seconds;
      continue;
    }
    demand.between_seconds = std::min(kForever, demand.between_seconds + exchange.cost.seconds);
    demand.between_busy = std::min(kForever, demand.between_busy + exchange.cost.bandwidth_seconds);
  }
}

void use_compiler_estimate(InstructionView instruction, const Device& device, OpTime& time, Demand& demand) {
  const std::optional<double> seconds = compiler_seconds(instruction, demand, device);
  if (!seconds) return;
  time.seconds = *seconds;
  time.source = CostSource::kCompiler;
  demand.seconds = *seconds;
  // No resource is busy for longer than the op takes.
  for (int r = 0; r < kResourceCount; ++r) {
    time.resources.seconds[r] = std::min(time.resources.seconds[r], *seconds);
  }
  for (double& busy : demand.busy) busy = std::min(busy, *seconds);
}

// An op that carries a collective is modelled, because the code's transfers to other devices are not followed.
void use_code(InstructionView instruction, const CostInputs& inputs, const Work& work, OpTime& time) {
  if (inputs.code == nullptr || work.is_free || work.seconds) return;
  const FoundCode found = find_code_of(*inputs.code, instruction);
  if (found.use != CodeUse::kUsed) return;
  time_by_code(work, cycles_of(*found.row, instruction), inputs.device, time);
  time.seconds = std::min(time.seconds, kForever);
}

// The times of works on one device. Ops that share a work share its time.
class WorkTimes {
 public:
  WorkTimes(const Device& device, double products_busy) : device_(device), products_busy_(products_busy) {}

  // The time of an operation that carries a collective, apart from that.
  OpTime beside_collective(const Work& work, bool in_graph) const {
    OpTime time = op_time(work, device_, run_as(in_graph, products_busy_));
    time.seconds = std::min(time.seconds, kForever);
    return time;
  }

  // The time of any other operation. `work` must outlive this object.
  const Shared<OpTime>& of(const Work& work, bool in_graph) {
    const auto [found, is_new] = times_.try_emplace({&work, in_graph});
    if (is_new) {
      OpTime time = beside_collective(work, in_graph);
      if (time.source == CostSource::kModel && !assumed_rate(work, time, device_, products_busy_).empty()) {
        time.source = CostSource::kAssumed;
      }
      found->second = std::move(time);
    }
    return found->second;
  }

 private:
  const Device& device_;
  double products_busy_;
  absl::flat_hash_map<std::pair<const Work*, bool>, Shared<OpTime>> times_;
};

// Computes the time and the demand of an instruction from its work.
void time_instruction(InstructionView instruction, const CostInputs& inputs, const Work& work, bool in_graph,
                      WorkTimes& times, Shared<OpTime>& time, Demand& demand) {
  const CarrierRange carried = inputs.collectives.by_carrier.equal_range(instruction.id().index);
  const bool is_collective = carried.first != carried.second;  // whose rates are those of links
  const bool is_estimated = inputs.options.estimates == EstimateSource::kCompiler;
  if (!is_collective && inputs.code == nullptr && !is_estimated) {
    time = times.of(work, in_graph);
    demand = plain_demand(instruction, work, time, inputs.device);
  } else {
    OpTime own = is_collective ? times.beside_collective(work, in_graph) : OpTime(times.of(work, in_graph));
    if (!is_collective) use_code(instruction, inputs, work, own);
    demand = plain_demand(instruction, work, own, inputs.device);
    add_collectives(instruction, inputs.collectives, carried, own, demand);
    if (is_estimated) use_compiler_estimate(instruction, inputs.device, own, demand);
    time = std::move(own);
  }
  if (inputs.device.tpu() != nullptr) hold_start(instruction, inputs.collectives, carried, demand);
  occupy_sparse_cores(instruction, inputs.device, demand);
  if (const auto send = inputs.collectives.sends.find(instruction.id().index); send != inputs.collectives.sends.end()) {
    demand = carried_by(send->second, demand);
  }
  join_halves(instruction, inputs.collectives, demand);
  if (needs_schedule(inputs.module)) demand = split_collective(instruction, demand);
  if (is_collective) hold_multiprocessors(inputs.device, demand);
  add_exchanges(instruction.id(), inputs.collectives, demand);
}

// Computes the time and the demand of an instruction whose work is already in the table.
void cost_instruction(InstructionView instruction, const CostInputs& inputs, WorkTimes& times, Costs& costs) {
  const std::uint32_t i = instruction.id().index;
  const std::uint32_t in = instruction.computation().id().index;
  const bool in_graph = in < costs.in_graphs.size() && costs.in_graphs[in];
  time_instruction(instruction, inputs, costs.work[i], in_graph, times, costs.time.at(i), costs.demand.at(i));
}

// Computes the entry of Costs::products of an instruction whose work is already in the table.
void find_products(InstructionId id, const Device& device, Costs& costs) {
  if (!costs.products.empty()) costs.products[id.index] = burst_seconds(costs.work[id.index], device);
}

// Whether XLA can put the instruction into a command buffer: one or more kernels, or one half of an asynchronous one,
// and no control flow or transfer between devices.
bool is_command(InstructionView instruction, const Work& work, const CostInputs& inputs) {
  if (work.is_free && async_role(instruction) != AsyncRole::kDone) return false;
  switch (instruction.opcode()) {
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall: return false;
    default: return !inputs.collectives.by_carrier.contains(instruction.id().index);
  }
}

// XLA builds no command buffer of fewer commands: xla_gpu_graph_min_graph_size in xla/debug_options_flags.cc.
constexpr double kFewestCommands = 5;

// The commands of an instruction that is_command(). The kernels of a library call are one, those of a sort are thunks
// of their own.
double commands_of(const Work& work) { return work.block_threads > 0 ? std::max(work.kernels, 1.0) : 1; }

// Whether XLA launches the kernels of a computation as command buffers where the text does not say so. Since 2025 it
// groups them after the last HLO pass (xla/backends/gpu/runtime/command_buffer_conversion_pass.cc), by default all that
// follow one another. Here a computation is one group, because what divides it is rare and takes longer than a launch.
// The condition of a loop counts as part of a group as well: the host runs it only where it cannot count the trips.
bool becomes_graph(ComputationView computation, const CostInputs& inputs, const Costs& costs) {
  if (CallFacts::role(inputs.calls, computation.id()) == ComputationRole::kCondition) return true;
  double commands = 0;
  for (InstructionView instruction : computation.instructions()) {
    const Work& work = costs.work[instruction.id().index];
    if (is_command(instruction, work, inputs)) commands += commands_of(work);
    if (commands >= kFewestCommands) return true;
  }
  return false;
}

CollectiveCost if_size_known(const Module& module, const Collective& collective, CollectiveCost cost) {
  if (has_unknown_size(module, collective)) cost.source = CostSource::kUnknown;
  return cost;
}

// Computes the costs of all collectives. The collectives of a layer are like those of the layer before, so that each
// kind is computed once.
void cost_all_on_mesh(const Module& module, const Device& device, const CollectiveOptions& options,
                      CollectiveCosts& result) {
  const std::vector<Collective>& all = result.collectives;
  absl::flat_hash_map<std::size_t, std::pair<std::size_t, CollectiveCost>> by_hash;  // the first of each kind
  result.costs.clear();
  result.costs.reserve(all.size());
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto [found, is_new] = by_hash.try_emplace(collective_hash(all[c]), c, CollectiveCost());
    auto& [first, cost] = found->second;
    if (is_new || !same_collective(all[first], all[c])) {
      first = c;
      cost = collective_cost(all[c], result.mesh, result.mapping, device, options);
    }
    result.costs.push_back(if_size_known(module, all[c], cost));
  }
}

}  // namespace

WorkOptions work_options(const PredictOptions& options, std::shared_ptr<KernelRuns> kernels) {
  WorkOptions result;
  result.custom_calls = options.custom_calls;
  result.kernel_lists = options.kernel_lists;
  result.kernels = std::move(kernels);
  return result;
}

CostSource worse(CostSource a, CostSource b) { return std::max(a, b); }

CollectiveCost cost_on_mesh(const Module& module, const Collective& collective, const CollectiveCosts& all,
                            const Device& device, const CollectiveOptions& options) {
  return if_size_known(module, collective, collective_cost(collective, all.mesh, all.mapping, device, options));
}

std::string part_of_machine(const Target& target, const Topology& used) {
  if (!target.topology || used.device_count() >= target.topology->device_count() || used.slices != 1) return "";
  return absl::StrCat("the program needs ", used.device_count(), " of the ", target.topology->device_count(),
                      " devices of ", target.topology->to_string(), ": a part of ", used.to_string(),
                      " is assumed to run it");
}

absl::Status lay_out_collectives(const Module& module, const CallGraph& calls, const Target& target,
                                 const MeshOptions& mesh_options, const CollectiveOptions& collective_options,
                                 CollectiveCosts& result) {
  const std::vector<Collective>& collectives = result.collectives;
  result.mesh = infer_axes(module, collectives);
  const std::int64_t copies = copies_of(module, target, result.mesh);
  if (copies > 1) copy_to_slices(copies, result.mesh);
  if (!mesh_options.axes.empty()) {
    absl::StatusOr<LogicalMesh> given = override_axes(result.mesh, mesh_options.axes, collectives);
    if (!given.ok()) return given.status();
    result.mesh = *std::move(given);
  }
  absl::StatusOr<Topology> topology = topology_for(target, result.mesh.device_count, result.mesh.slices);
  if (!topology.ok()) return topology.status();
  absl::StatusOr<PhysicalMapping> mapping = map_mesh(result.mesh, target.device, *topology, mesh_options);
  if (!mapping.ok()) return mapping.status();
  result.mapping = *std::move(mapping);
  if (std::string part = part_of_machine(target, *topology); !part.empty()) {
    result.mapping.notes.push_back(std::move(part));
  }
  cost_all_on_mesh(module, target.device, collective_options, result);
  result.exchanges.clear();
  return copies > 1 ? exchange_gradients(module, calls, target.device, collective_options, result) : absl::OkStatus();
}

void read_roles(const Module& module, const CallGraph& calls, CollectiveCosts& result) {
  result.roles = assign_roles(module, calls, result.collectives, result.mesh);
  for (const GradientExchange& exchange : result.exchanges) {
    MeshAxis& slices = result.mesh.axes[0];
    slices.roles = {AxisRole::kData};
    slices.why = "copies of the program";
    slices.bytes += exchange.between.bytes;
  }
}

namespace {

bool is_carried(const Module& module, const CallGraph& calls, const Collective& collective) {
  const InstructionId carrier = collective.carrier;
  return carrier.valid() && CallFacts::is_scheduled(calls, row_of(module, carrier).computation) &&
         !carries_collective_step(module.instruction(carrier));
}

// Computes the index from what is carried.
void index_carried(const Module& module, CollectiveCosts& result) {
  std::vector<CarrierIndex::Entry> carried;
  for (std::size_t c = 0; c < result.collectives.size(); ++c) {
    if (result.is_carried[c]) carried.emplace_back(result.collectives[c].carrier.index, c);
  }
  result.by_carrier = CarrierIndex(std::move(carried));
  result.sends = join_messages(module, result);
  result.slice_halves = join_slice_transfers(module, result);
}

}  // namespace

void index_carriers(const Module& module, const CallGraph& calls, CollectiveCosts& result) {
  result.is_carried.clear();
  for (const Collective& collective : result.collectives) {
    result.is_carried.push_back(is_carried(module, calls, collective));
  }
  index_carried(module, result);
}

void index_carriers_again(const Module& module, const CallGraph& calls, const CollectivesAgain& again,
                          CollectiveCosts& result) {
  const std::vector<bool> before = std::exchange(result.is_carried, {});
  result.is_carried.assign(result.collectives.size(), false);
  auto read = again.read.begin();
  for (std::size_t c = 0; c < result.collectives.size(); ++c) {
    while (read != again.read.end() && read->end <= c) ++read;
    const bool was_read = read != again.read.end() && read->begin <= c;
    result.is_carried[c] =
        was_read ? is_carried(module, calls, result.collectives[c]) : static_cast<bool>(before[again.before[c]]);
  }
  index_carried(module, result);
}

absl::StatusOr<CollectiveCosts> cost_collectives(const Module& module, const CallGraph& calls,
                                                 std::vector<Collective> collectives, const Target& target,
                                                 const MeshOptions& mesh_options,
                                                 const CollectiveOptions& collective_options) {
  CollectiveCosts result;
  result.collectives = std::move(collectives);
  absl::Status status = lay_out_collectives(module, calls, target, mesh_options, collective_options, result);
  if (!status.ok()) return status;
  index_carriers(module, calls, result);
  return result;
}

void time_instructions(const CostInputs& inputs, Costs& costs) {
  cut_costs(inputs.module, costs);
  costs.products.assign(has_sustained_rates(inputs.device) ? inputs.module.instruction_limit() : 0, 0.0);
  if (!costs.products.empty()) {
    for (ComputationId id : CallFacts::scheduled(inputs.calls)) {
      for (InstructionView instruction : inputs.module.computation(id).instructions()) {
        find_products(instruction.id(), inputs.device, costs);
      }
    }
  }
  add_up_products(inputs, costs);
  find_graphs(inputs, costs);
  WorkTimes times(inputs.device, costs.products_busy);
  for (ComputationId id : CallFacts::scheduled(inputs.calls)) {
    for (InstructionView instruction : inputs.module.computation(id).instructions()) {
      cost_instruction(instruction, inputs, times, costs);
    }
  }
}

std::vector<InstructionId> add_up_products(const CostInputs& inputs, Costs& costs) {
  const double before = costs.products_busy;
  costs.products_busy = 0;
  if (costs.products.empty()) return {};
  for (ComputationId id : CallFacts::scheduled(inputs.calls)) {
    double once = 0;
    for (InstructionView instruction : inputs.module.computation(id).instructions()) {
      once += costs.products[instruction.id().index];
    }
    costs.products_busy = std::min(costs.products_busy + once * inputs.calls.executions(id), kForever);
  }
  std::vector<InstructionId> stale;
  if (sustained_share(before, inputs.device) == sustained_share(costs.products_busy, inputs.device)) return stale;
  for (ComputationId id : CallFacts::scheduled(inputs.calls)) {
    for (InstructionView instruction : inputs.module.computation(id).instructions()) {
      if (costs.products[instruction.id().index] > 0) stale.push_back(instruction.id());
    }
  }
  return stale;
}

std::vector<InstructionId> find_graphs(const CostInputs& inputs, Costs& costs) {
  if (inputs.device.gpu() == nullptr) return {};
  const std::vector<bool> before =
      std::exchange(costs.in_graphs, std::vector<bool>(inputs.module.computation_limit(), false));
  const auto is_named = [&](ComputationId id) {
    return CallFacts::role(inputs.calls, id) == ComputationRole::kCalled &&
           is_command_buffer(inputs.module.computation(id));
  };
  const std::vector<ComputationId>& scheduled = CallFacts::scheduled(inputs.calls);
  // XLA of before 2025 writes its command buffers into the text. Then there are no others.
  const bool any_named = std::any_of(scheduled.begin(), scheduled.end(), is_named);
  std::vector<InstructionId> stale;
  for (ComputationId id : scheduled) {
    const ComputationView computation = inputs.module.computation(id);
    const bool is_graph = any_named ? is_named(id) : becomes_graph(computation, inputs, costs);
    costs.in_graphs[id.index] = is_graph;
    if (is_graph == (id.index < before.size() && before[id.index])) continue;
    for (InstructionView instruction : computation.instructions()) stale.push_back(instruction.id());
  }
  return stale;
}

void cost_again(const CostInputs& inputs, absl::Span<const InstructionId> changed, Costs& costs) {
  std::vector<Work> work = compute_work(inputs.module, changed, work_options(inputs.options, costs.kernels));
  cut_costs(inputs.module, costs);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    costs.work.at(changed[i].index) = std::move(work[i]);
    find_products(changed[i], inputs.device, costs);
  }
  time_again(inputs, changed, costs);
}

void time_again(const CostInputs& inputs, absl::Span<const InstructionId> changed, Costs& costs) {
  cut_costs(inputs.module, costs);
  WorkTimes times(inputs.device, costs.products_busy);
  for (InstructionId id : changed) cost_instruction(inputs.module.instruction(id), inputs, times, costs);
}

void cut_costs(const Module& module, Costs& costs) {
  costs.work.resize(module.instruction_limit());
  costs.time.resize(module.instruction_limit());
  costs.demand.resize(module.instruction_limit());
  if (!costs.products.empty()) costs.products.resize(module.instruction_limit());
}

bool needs_schedule(const Module& module) {
  return !module.is_scheduled() && !ModuleRows::is_single_instruction(module);
}

template <class Num>
std::optional<Num> compiler_seconds(InstructionView instruction, const Demand& demand, const Numbers<Num>& numbers) {
  const bool is_timed = demand.step == Step::kRun || demand.step == Step::kStart;
  if (!numbers.device().clock || !is_timed) return std::nullopt;
  const std::optional<std::int64_t> cycles = estimated_cycles(instruction);
  if (!cycles || *cycles <= 0) return std::nullopt;
  return numbers.amount("estimate of the compiler", static_cast<double>(*cycles), "cycle") / numbers.clock();
}
template std::optional<double> compiler_seconds(InstructionView, const Demand&, const Numbers<double>&);
template std::optional<Traced> compiler_seconds(InstructionView, const Demand&, const Numbers<Traced>&);

}  // namespace hloroof::internal::inline step
