#include "lib/predict/facts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/cost/custom_call.h"
#include "lib/hardware/topology.h"
#include "lib/ir/rows.h"

namespace hloroof::internal {

absl::StatusOr<Target> configure_target(Target target, const PredictOptions& options) {
  if (options.topology) {
    absl::StatusOr<Topology> topology = parse_topology(target.device, *options.topology);
    if (!topology.ok()) return topology.status();
    target.topology = *std::move(topology);
  }
  if (options.slices) {
    if (*options.slices < 1 || *options.slices > kMaxSlices) {
      return invalid_argument(
          absl::StrCat("the number of slices is ", *options.slices, "; expected 1 to ", kMaxSlices));
    }
    target.slices = options.slices;
  }
  for (const auto& [path, value] : options.set) {
    if (absl::Status status = set_parameter(target.device, path, value); !status.ok()) return status;
  }
  return target;
}

CallOptions call_options(const PredictOptions& options) {
  CallOptions result;
  result.trip_counts = options.trip_counts;
  result.default_trip_count = options.default_trip_count;
  result.branch_probabilities = options.branch_probabilities;
  return result;
}

absl::StatusOr<CallGraph> find_calls(const Module& module, const PredictOptions& options) {
  const CallOptions of_calls = call_options(options);
  if (absl::Status status = check_call_options(module, of_calls); !status.ok()) return status;
  return analyze_calls(module, of_calls);
}

CostInputs cost_inputs(const StepFacts& facts) {
  return {*facts.module, facts.calls, facts.target.device, facts.collectives, facts.options};
}

ListSchedule find_schedule(const StepFacts& facts) {
  if (!needs_schedule(*facts.module)) return {};
  return list_schedule(*facts.module, facts.calls, facts.costs.demand, facts.target.device.schedule);
}

absl::StatusOr<StepFacts> find_facts(std::shared_ptr<const Module> module, Target target,
                                     const PredictOptions& options) {
  if (!module->has_entry())
    return invalid_argument(ModuleRows::path(*module) + ": error: the module has no ENTRY computation");
  if (!row_of(module->entry()).root.valid())
    return invalid_argument(ModuleRows::path(*module) + ": error: the ENTRY computation has no instructions");
  absl::StatusOr<CallGraph> calls = find_calls(*module, options);
  if (!calls.ok()) return calls.status();
  if (absl::Status status = check_custom_call_costs(*module, options.custom_calls); !status.ok()) return status;
  if (absl::Status status = check_kernel_lists(*module, options.kernel_lists); !status.ok()) return status;
  absl::StatusOr<Target> configured = configure_target(std::move(target), options);
  if (!configured.ok()) return configured.status();

  StepFacts facts;
  facts.module = std::move(module);
  facts.options = options;
  facts.target = *std::move(configured);
  facts.calls = *std::move(calls);
  absl::StatusOr<CollectiveCosts> collectives =
      cost_collectives(*facts.module, facts.calls, facts.target, options.mesh, options.collectives);
  if (!collectives.ok()) return collectives.status();
  facts.collectives = *std::move(collectives);
  facts.costs = cost_instructions(cost_inputs(facts));
  facts.pairs = pair_async(*facts.module, facts.calls);
  facts.schedule = find_schedule(facts);
  return facts;
}

absl::Status replay_facts(StepFacts& facts) {
  facts.timeline = replay(*facts.module, facts.calls, facts.pairs, facts.costs.demand, facts.schedule);
  if (facts.timeline.seconds < kForever) return absl::OkStatus();
  return out_of_range(ModuleRows::path(*facts.module) + ": error: the step time overflows");
}

std::optional<double> compiler_step_seconds(const StepFacts& facts) {
  if (!facts.target.device.clock) return std::nullopt;
  const Module& module = *facts.module;
  std::vector<Demand> demand;  // copied at the first estimate, because most dumps have none
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      const std::uint32_t i = instruction.id().index;
      const std::optional<double> seconds = compiler_seconds(instruction, facts.costs.demand[i], facts.target.device);
      if (!seconds) continue;
      if (demand.empty()) demand = facts.costs.demand;
      demand[i].seconds = *seconds;
    }
  }
  if (demand.empty()) return std::nullopt;
  return replayed_seconds(module, facts.calls, facts.pairs, demand, facts.schedule);
}

double step_seconds_without(const StepFacts& facts, Resource resource) {
  std::vector<Demand> demands = facts.costs.demand;
  for (Demand& demand : demands) demand = without(demand, resource);
  return replayed_seconds(*facts.module, facts.calls, facts.pairs, demands, facts.schedule);
}

std::vector<bool> assumed_computations(const StepFacts& facts) {
  const Module& module = *facts.module;
  std::vector<bool> assumed(module.computation_limit(), false);
  for (const CallGraph::Loop& loop : facts.calls.loops()) {
    if (loop.trips.source != TripCount::Source::kAssumed) continue;
    for (ComputationId id : module.instruction(loop.instruction).called_computations()) assumed[id.index] = true;
  }
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionId caller : CallFacts::callers(facts.calls, id)) {
      if (assumed[row_of(module, caller).computation.index]) assumed[id.index] = true;
    }
  }
  return assumed;
}

CostSource op_source(const StepFacts& facts, InstructionId id) {
  const CostSource time = facts.costs.time[id.index].source;
  if (row_of(*facts.module, id).opcode == Opcode::kUnknown) return CostSource::kUnknown;
  return time == CostSource::kCompiler ? time : worse(time, facts.costs.work[id.index].source);
}

}  // namespace hloroof::internal
