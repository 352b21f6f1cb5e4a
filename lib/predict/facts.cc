#include "lib/predict/facts.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "hloroof/mesh.h"
#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/cost/custom_call.h"
#include "lib/predict/messages.h"

namespace hloroof::inline v0 {
namespace {

absl::StatusOr<Device> configured(const Device& device, const PredictOptions& options) {
  Device result = device;
  if (options.topology) {
    absl::StatusOr<Topology> topology = parse_topology(result, *options.topology);
    if (!topology.ok()) return topology.status();
    result.topology = *std::move(topology);
  }
  for (const auto& [path, value] : options.set) {
    if (absl::Status status = set_parameter(result, path, value); !status.ok()) return status;
  }
  return result;
}

absl::StatusOr<CollectiveCosts> place_collectives(const Module& module, const CallGraph& calls,
                                                  const PredictOptions& options, Device& device) {
  const std::optional<std::int64_t> slices = options.slices ? options.slices : device.slices;
  if (!slices) return cost_collectives(module, calls, device, options.mesh, options.collectives);
  if (*slices < 1) return invalid_argument(absl::StrFormat("the number of slices must be at least 1, not %d", *slices));
  if (!device.topology) {
    // The module's devices, shared out over the slices asked for.
    const std::int64_t devices = infer_axes(module, find_collectives(module, calls)).device_count;
    absl::StatusOr<Topology> slice = default_topology(device, (devices + *slices - 1) / *slices);
    if (!slice.ok()) return slice.status();
    device.topology = *std::move(slice);
  }
  device.topology->slices = *slices;
  return cost_collectives(module, calls, device, options.mesh, options.collectives);
}

}  // namespace

absl::StatusOr<CallGraph> find_calls(const Module& module, const PredictOptions& options) {
  CallOptions call_options;
  call_options.trip_counts = options.trip_counts;
  call_options.default_trip_count = options.default_trip_count;
  call_options.branch_probabilities = options.branch_probabilities;
  if (absl::Status status = check_call_options(module, call_options); !status.ok()) return status;
  return analyze_calls(module, call_options);
}

absl::StatusOr<StepFacts> find_facts(const Module& module, const Device& device, const PredictOptions& options) {
  if (!module.has_entry()) return invalid_argument(module.path() + ": error: the module has no ENTRY computation");
  StepFacts facts;
  absl::StatusOr<CallGraph> calls = find_calls(module, options);
  if (!calls.ok()) return calls.status();
  if (absl::Status status = check_custom_call_costs(options.custom_calls); !status.ok()) return status;
  facts.calls = *std::move(calls);
  facts.computation_limit = module.computation_limit();
  absl::StatusOr<Device> as_asked = configured(device, options);
  if (!as_asked.ok()) return as_asked.status();
  facts.device = *std::move(as_asked);
  absl::StatusOr<CollectiveCosts> collectives = place_collectives(module, facts.calls, options, facts.device);
  if (!collectives.ok()) return collectives.status();
  facts.collectives = *std::move(collectives);
  index_carriers(module, facts.calls, facts.collectives);
  facts.costs = cost_instructions(module, facts.calls, facts.device, facts.collectives, options.custom_calls);
  if (options.estimates == EstimateSource::kCompiler) {
    use_compiler_estimates(module, facts.calls, facts.device, facts.costs);
  }
  join_messages(module, facts.collectives, facts.costs);
  facts.pairs = pair_async(module, facts.calls);
  if (needs_schedule(module)) schedule_instructions(module, facts);
  return facts;
}

bool needs_schedule(const Module& module) { return !module.is_scheduled() && !module.is_single_instruction(); }

void schedule_instructions(const Module& module, StepFacts& facts) {
  split_collectives(module, facts.calls, facts.costs.demand);
  facts.schedule = list_schedule(module, facts.calls, facts.costs.demand);
}

std::map<std::uint32_t, std::vector<double>> branch_probabilities(const Module& module, const CallGraph& calls,
                                                                  const PredictOptions& options) {
  std::map<std::uint32_t, std::vector<double>> by_index;
  if (options.branch_probabilities.empty()) return by_index;
  for (ComputationId id : calls.scheduled()) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      if (instruction.opcode() != Opcode::kConditional) continue;
      const auto given = options.branch_probabilities.find(std::string(instruction.name()));
      if (given != options.branch_probabilities.end()) by_index[instruction.id().index] = given->second;
    }
  }
  return by_index;
}

std::vector<bool> assumed_computations(const Module& module, const CallGraph& calls) {
  std::vector<bool> assumed(module.computation_limit(), false);
  for (const CallGraph::Loop& loop : calls.loops()) {
    if (loop.trips.source != TripCount::Source::kAssumed) continue;
    for (ComputationId id : module.instruction(loop.instruction).called_computations()) assumed[id.index] = true;
  }
  for (ComputationId id : calls.scheduled()) {
    for (InstructionId caller : calls.callers(id)) {
      if (assumed[module.data(caller).computation.index]) assumed[id.index] = true;
    }
  }
  return assumed;
}

CostSource op_source(const Module& module, const Costs& costs, InstructionId id) {
  const CostSource time = costs.time[id.index].source;
  if (module.data(id).opcode == Opcode::kUnknown) return CostSource::kUnknown;
  return time == CostSource::kCompiler ? time : worse(time, costs.work[id.index].source);
}

}  // namespace hloroof::inline v0
