#include "lib/step/facts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/analysis/call_record.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/collectives.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/hardware/topology.h"
#include "lib/ir/rows.h"
#include "lib/schedule/clock.h"
#include "lib/time/op_time.h"
#include "lib/work/custom_call.h"
#include "lib/work/kernel_runs.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline step {
namespace {

// What the code of the module does that the device cannot: products above the peak. Empty if there is nothing.
std::string impossible_code(const StepFacts& facts) {
  constexpr double kTolerance = 1.02;  // of the rounded numbers in a device file
  for (const ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (const InstructionView instruction : facts.module->computation(id).instructions()) {
      const OpTime& time = facts.costs.time[instruction.id().index];
      const Work& work = facts.costs.work[instruction.id().index];
      if (time.source != CostSource::kCode || work.source != CostSource::kModel) continue;
      double peak = 0;
      for (const MatrixWork& product : work.matrix) {
        if (product.is_shape_known) peak += matrix_peak_seconds(product, facts.target.device);
      }
      if (peak <= 0) continue;
      const FoundCode code = find_code_of(*facts.code, instruction);
      const double bundles = cycles_of(*code.row, instruction).busy / *facts.target.device.clock;
      if (peak <= kTolerance * bundles) continue;
      return absl::StrCat("the bundles of ", to_absl(instruction.name()), " take ", format_seconds(bundles),
                          ", and its products take ", format_seconds(peak), " at the peak of ",
                          facts.target.device.name);
    }
  }
  return "";
}

}  // namespace

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

absl::StatusOr<CallGraph> find_calls(const Module& module, const PredictOptions& options, CallRecord& record) {
  const CallOptions of_calls = call_options(options);
  if (absl::Status status = check_call_options(module, of_calls); !status.ok()) return status;
  return CallFacts::find(module, of_calls, record);
}

CostInputs cost_inputs(const StepFacts& facts) {
  return {*facts.module, facts.calls, facts.target.device, facts.collectives, facts.options, facts.code.get()};
}

ListSchedule find_schedule(const StepFacts& facts) {
  if (!needs_schedule(*facts.module)) return {};
  return list_schedule(*facts.module, facts.calls, facts.costs.demand, facts.target.device.schedule);
}

absl::StatusOr<ModuleFacts> find_module_facts(std::shared_ptr<const Module> module, const PredictOptions& options) {
  SearchRecords records;
  return find_module_facts(std::move(module), options, records);
}

absl::StatusOr<ModuleFacts> find_module_facts(std::shared_ptr<const Module> module, const PredictOptions& options,
                                              SearchRecords& records) {
  if (!module->has_entry())
    return invalid_argument(ModuleRows::path(*module) + ": error: the module has no ENTRY computation");
  if (!row_of(module->entry()).root.valid())
    return invalid_argument(ModuleRows::path(*module) + ": error: the ENTRY computation has no instructions");
  absl::StatusOr<CallGraph> calls = find_calls(*module, options, records.calls);
  if (!calls.ok()) return calls.status();
  if (absl::Status status = check_custom_call_costs(*module, options.custom_calls); !status.ok()) return status;
  if (absl::Status status = check_kernel_lists(*module, options.kernel_lists); !status.ok()) return status;
  ModuleFacts facts;
  facts.calls = *std::move(calls);
  facts.collectives = find_collectives(*module, facts.calls, records.collectives);
  facts.kernels = std::make_shared<KernelRuns>();
  facts.work = compute_work(*module, facts.calls, work_options(options, facts.kernels));
  facts.pairs = pair_async(*module, facts.calls);
  facts.module = std::move(module);
  return facts;
}

absl::Status change_target(Target target, const PredictOptions& options, StepFacts& facts) {
  absl::StatusOr<Target> configured = configure_target(std::move(target), options);
  if (!configured.ok()) return configured.status();
  facts.target = *std::move(configured);
  facts.options = options;
  absl::StatusOr<CollectiveCosts> collectives =
      cost_collectives(*facts.module, facts.calls, std::move(facts.collectives.collectives), facts.target, options.mesh,
                       options.collectives);
  if (!collectives.ok()) return collectives.status();
  facts.collectives = *std::move(collectives);
  if (options.code.empty()) {
    facts.code.reset();
  } else if (facts.code == nullptr || !is_code_of(*facts.code, options.code, facts.target.device)) {
    auto code = read_program_code(options.code, *facts.module, facts.target.device);
    if (!code.ok()) return code.status();
    facts.code = *std::move(code);
  }
  time_instructions(cost_inputs(facts), facts.costs);
  if (facts.code != nullptr) {
    if (const std::string impossible = impossible_code(facts); !impossible.empty()) {
      return invalid_argument(absl::StrCat("the code in ", options.code, " is of another TPU than ",
                                           facts.target.device.name, ": ", impossible));
    }
  }
  facts.schedule = find_schedule(facts);
  return absl::OkStatus();
}

StepFacts facts_without_target(ModuleFacts of_module) {
  StepFacts facts;
  facts.module = std::move(of_module.module);
  facts.calls = std::move(of_module.calls);
  facts.collectives.collectives = std::move(of_module.collectives);
  facts.costs.work = std::move(of_module.work);
  facts.costs.kernels = std::move(of_module.kernels);
  facts.pairs = std::move(of_module.pairs);
  return facts;
}

absl::StatusOr<StepFacts> find_facts(ModuleFacts of_module, Target target, const PredictOptions& options) {
  StepFacts facts = facts_without_target(std::move(of_module));
  if (absl::Status status = change_target(std::move(target), options, facts); !status.ok()) return status;
  return facts;
}

absl::StatusOr<StepFacts> find_facts(std::shared_ptr<const Module> module, Target target,
                                     const PredictOptions& options) {
  absl::StatusOr<ModuleFacts> of_module = find_module_facts(std::move(module), options);
  if (!of_module.ok()) return of_module.status();
  return find_facts(*std::move(of_module), std::move(target), options);
}

namespace {

absl::Status check_step(const StepFacts& facts) {
  if (facts.timeline.seconds < kForever) return absl::OkStatus();
  return out_of_range(ModuleRows::path(*facts.module) + ": error: the step time overflows");
}

}  // namespace

absl::Status replay_facts(StepFacts& facts) {
  facts.timeline = replay(*facts.module, facts.calls, facts.pairs, facts.costs.demand, facts.schedule);
  return check_step(facts);
}

absl::Status replay_sums(StepFacts& facts) {
  Replayer replayer(*facts.module, /*record=*/false);
  replayer.replay(facts.calls, facts.pairs, facts.costs.demand, facts.schedule, {});
  facts.timeline = {};
  facts.timeline.executions = CallFacts::executions_with(facts.calls, replayer.branches());
  replayer.add_up(facts.calls, facts.costs.demand, facts.timeline);
  return check_step(facts);
}

std::optional<double> compiler_step_seconds(const StepFacts& facts) {
  if (!facts.target.device.clock) return std::nullopt;
  const Module& module = *facts.module;
  PagedTable<Demand> demand;  // copied at the first estimate, because most dumps have none
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      const std::uint32_t i = instruction.id().index;
      const std::optional<double> seconds = compiler_seconds(instruction, facts.costs.demand[i], facts.target.device);
      if (!seconds) continue;
      if (demand.empty()) demand = facts.costs.demand;
      demand.at(i).seconds = *seconds;
    }
  }
  if (demand.empty()) return std::nullopt;
  return replayed_seconds(module, facts.calls, facts.pairs, demand, facts.schedule);
}

double step_seconds_without(const StepFacts& facts, Resource resource) {
  PagedTable<Demand> demands = facts.costs.demand;
  demands.for_each_written([&](Demand& demand) { demand = without(demand, resource); });
  return replayed_seconds(*facts.module, facts.calls, facts.pairs, demands, facts.schedule);
}

double serial_seconds_of(const StepFacts& facts, InstructionView instruction, double own,
                         const std::vector<double>& seconds) {
  const bool branches = instruction.opcode() == Opcode::kConditional;
  double inside = 0;
  for (ComputationId called : instruction.called_computations()) {
    if (called.valid()) inside = branches ? std::max(inside, seconds[called.index]) : inside + seconds[called.index];
  }
  const TripCount* const trips =
      instruction.opcode() == Opcode::kWhile ? CallFacts::trip_count(facts.calls, instruction.id()) : nullptr;
  return own + inside * (trips != nullptr ? static_cast<double>(trips->value) : 1);
}

std::vector<double> serial_seconds(const StepFacts& facts, absl::FunctionRef<double(InstructionView)> own) {
  const Module& module = *facts.module;
  std::vector<double> seconds(module.computation_limit(), 0);
  const std::vector<ComputationId>& scheduled = CallFacts::scheduled(facts.calls);
  for (auto id = scheduled.rbegin(); id != scheduled.rend(); ++id) {  // callees come first
    double sum = 0;
    for (InstructionView instruction : module.computation(*id).instructions()) {
      sum += serial_seconds_of(facts, instruction, own(instruction), seconds);
    }
    seconds[id->index] = std::min(sum, kForever);
  }
  return seconds;
}

namespace {

constexpr double kAlike = 1.1;  // slowest branch over fastest, up to which it hardly matters which one runs

bool is_branch(const StepFacts& facts, ComputationId id) {
  return CallFacts::role(facts.calls, id) == ComputationRole::kBranch;
}

// Marks the branches of conditionals whose probabilities nobody states, unless they take about as long as one another:
// that the slowest runs is an assumption.
void assume_branches(const StepFacts& facts, std::vector<bool>& assumed) {
  const std::vector<ComputationId>& scheduled = CallFacts::scheduled(facts.calls);
  const auto is_any_branch = [&](ComputationId id) { return is_branch(facts, id); };
  if (std::none_of(scheduled.begin(), scheduled.end(), is_any_branch)) return;
  const std::vector<double> seconds = serial_seconds(
      facts, [&](InstructionView instruction) { return facts.costs.time[instruction.id().index]->seconds; });
  for (ComputationId id : scheduled) {
    if (!is_branch(facts, id)) continue;
    for (InstructionId caller : CallFacts::callers(facts.calls, id)) {
      if (row_of(*facts.module, caller).opcode != Opcode::kConditional) continue;
      if (CallFacts::branch_probabilities(facts.calls, caller) != nullptr) continue;
      double least = kForever;
      double most = 0;
      for (ComputationId branch : facts.module->instruction(caller).called_computations()) {
        least = std::min(least, seconds[branch.index]);
        most = std::max(most, seconds[branch.index]);
      }
      if (most > kAlike * least) assumed[id.index] = true;
    }
  }
}

}  // namespace

std::vector<bool> assumed_computations(const StepFacts& facts) {
  const Module& module = *facts.module;
  std::vector<bool> assumed(module.computation_limit(), false);
  for (const CallGraph::Loop& loop : facts.calls.loops()) {
    if (loop.trips.source != TripCount::Source::kAssumed) continue;
    for (ComputationId id : module.instruction(loop.instruction).called_computations()) assumed[id.index] = true;
  }
  assume_branches(facts, assumed);
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionId caller : CallFacts::callers(facts.calls, id)) {
      if (assumed[row_of(module, caller).computation.index]) assumed[id.index] = true;
    }
  }
  return assumed;
}

CostSource op_source(const StepFacts& facts, InstructionId id) {
  const CostSource time = facts.costs.time[id.index]->source;
  if (row_of(*facts.module, id).opcode == Opcode::kUnknown) return CostSource::kUnknown;
  const bool is_of_compiler = time == CostSource::kCompiler || time == CostSource::kCode;
  return is_of_compiler ? time : worse(time, facts.costs.work[id.index]->source);
}

}  // namespace hloroof::internal::inline step
