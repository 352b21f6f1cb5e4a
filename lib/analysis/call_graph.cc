// Computes how often each computation runs.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "lib/analysis/call_record.h"
#include "lib/analysis/call_sites.h"
#include "lib/analysis/calls.h"
#include "lib/analysis/trip_count.h"
#include "lib/analysis/value_trace.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline analysis {
namespace {

// Keeps products with other numbers finite. A step with as many executions overflows in any case; a smaller limit would
// count less work than the replay, which multiplies the trips of nested loops without one.
constexpr double kMaxExecutions = 1e200;

bool is_schedule(ComputationRole role) {
  switch (role) {
    case ComputationRole::kEntry:
    case ComputationRole::kBody:
    case ComputationRole::kCondition:
    case ComputationRole::kBranch:
    case ComputationRole::kCalled: return true;
    default: return false;
  }
}

}  // namespace

bool is_command_buffer(ComputationView computation) {
  constexpr std::string_view kName = "command_buffer";
  const std::string_view name = computation.name();
  // XLA appends a number to all but the first, as to every name.
  return name.substr(0, kName.size()) == kName && (name.size() == kName.size() || name[kName.size()] == '.');
}

bool CallFacts::trips_read_off(const CallGraph& calls, InstructionId id) {
  return id.index < calls.trips_read_off_.size() && calls.trips_read_off_[id.index];
}

bool CallFacts::trips_follow_callers(const CallGraph& calls, ComputationId id) {
  return id.index < calls.trips_follow_callers_.size() && calls.trips_follow_callers_[id.index];
}

const std::vector<double>* CallFacts::branch_probabilities(const CallGraph& calls, InstructionId conditional) {
  const auto given = calls.branch_probabilities_.find(conditional.index);
  return given == calls.branch_probabilities_.end() ? nullptr : &given->second;
}

bool CallFacts::is_scheduled(const CallGraph& calls, ComputationId id) {
  // Fused computations that an edit added later are beyond the tables.
  return id.index < calls.roles_.size() && is_schedule(calls.roles_[id.index]);
}

const TripCount* CallFacts::trip_count(const CallGraph& calls, InstructionId id) {
  const auto at = std::find_if(calls.loops_.begin(), calls.loops_.end(),
                               [id](const CallGraph::Loop& loop) { return loop.instruction == id; });
  return at == calls.loops_.end() ? nullptr : &at->trips;
}

std::vector<double> CallFacts::executions_with(const CallGraph& calls, const BranchProbabilities& assumed) {
  std::vector<double> executions(calls.roles_.size(), 0.0);
  if (calls.module_->has_entry()) executions[calls.module_->entry().id().index] = 1;
  std::size_t loop = 0;  // the loops of calls.calls_ have the order of calls.loops_
  for (InstructionId id : calls.calls_) {
    const InstructionView instruction = calls.module_->instruction(id);
    const double times = executions[row_of(instruction).computation.index];
    double trips = 1;
    if (instruction.opcode() == Opcode::kWhile) trips = static_cast<double>(calls.loops_[loop++].trips.value);
    std::size_t branch = 0;
    std::size_t branches = 0;
    const std::vector<double>* probabilities = nullptr;
    if (instruction.opcode() == Opcode::kConditional) {
      branches = instruction.called_computations().size();
      probabilities = branch_probabilities(calls, id);
      const auto found = assumed.find(id.index);
      if (probabilities == nullptr && found != assumed.end()) probabilities = &found->second;
    }
    for (const AttributeData& attribute : instruction.attributes()) {
      for (std::uint32_t reference : ModuleRows::references(*calls.module_, attribute)) {
        if (attribute.key == AttributeKey::kControlPredecessors) break;
        if (reference >= executions.size()) continue;
        double factor = 0;
        switch (role_of_callee(instruction, attribute.key)) {
          case ComputationRole::kBody: factor = trips; break;
          case ComputationRole::kCondition: factor = trips + 1; break;
          case ComputationRole::kBranch:
            factor = probabilities == nullptr         ? 1.0 / static_cast<double>(std::max<std::size_t>(branches, 1))
                     : branch < probabilities->size() ? (*probabilities)[branch]
                                                      : 0.0;
            ++branch;
            break;
          case ComputationRole::kCalled: factor = 1; break;
          default: break;
        }
        executions[reference] = std::min(executions[reference] + times * factor, kMaxExecutions);
      }
    }
  }
  return executions;
}

CallGraph CallFacts::find(const Module& module, const CallOptions& options, CallRecord& record) {
  CallGraph graph;
  graph.module_ = &module;
  graph.roles_.assign(module.computation_limit(), ComputationRole::kUnused);

  TraceContext context = make_trace_context(module, record.sites);
  for (const auto& [computation, callers] : record.callers) {
    if (context.callers.of(computation) != callers) record.changed.callers_of.insert(computation);
  }
  context.loops = std::move(record.loops);
  find_trip_counts(context, options, std::exchange(record.changed, {}));

  // Computations precede their callers, so a backward pass knows the roles of all callers of a computation. A
  // computation that is both scheduled and, for example, applied counts as scheduled.
  if (module.has_entry()) graph.roles_[module.entry().id().index] = ComputationRole::kEntry;
  const auto order = module.computations();
  for (std::size_t i = order.size(); i-- > 0;) {
    const ComputationView computation = order[i];
    const ComputationRole role = graph.roles_[computation.id().index];
    if (role == ComputationRole::kUnused) continue;
    const bool scheduled = is_schedule(role);
    if (scheduled) graph.scheduled_.push_back(computation.id());
    for (const CallSite& site : record.sites.of(computation)) {
      if (site.callee < graph.roles_.size()) {
        ComputationRole& callee = graph.roles_[site.callee];
        const ComputationRole wanted = !scheduled && is_schedule(site.role) ? role : site.role;
        if (callee == ComputationRole::kUnused || (!is_schedule(callee) && is_schedule(wanted))) callee = wanted;
      }
      if (!scheduled || !site.is_first) continue;
      if (calls_schedules(site.opcode)) graph.calls_.push_back(site.caller);
      if (site.opcode == Opcode::kWhile) {
        TripCount trips = context.loops.at(site.caller.index).trips;
        trips.value = std::max<std::int64_t>(trips.value, 0);
        graph.loops_.push_back({site.caller, std::move(trips)});
      }
      if (site.opcode == Opcode::kConditional) {
        const auto found = options.branch_probabilities.find(std::string(module.instruction(site.caller).name()));
        if (found != options.branch_probabilities.end()) {
          graph.branch_probabilities_[site.caller.index] = found->second;
        }
      }
    }
  }
  record.callers.clear();
  graph.trips_read_off_.resize(module.instruction_limit(), false);
  graph.trips_follow_callers_.resize(module.computation_limit(), false);
  for (const auto& [id, loop] : context.loops) {
    for (std::uint32_t i : loop.reads.instructions) {
      if (i < graph.trips_read_off_.size()) graph.trips_read_off_[i] = true;
    }
    for (std::uint32_t i : loop.reads.callers_of) {
      const absl::Span<const InstructionId> callers = context.callers.of(i);
      record.callers[i].assign(callers.begin(), callers.end());
      if (i < graph.trips_follow_callers_.size()) graph.trips_follow_callers_[i] = true;
    }
  }
  record.loops = std::move(context.loops);
  graph.callers_ = std::make_shared<const Callers>(std::move(context.callers));
  graph.executions_ = executions_with(graph, {});
  return graph;
}

}  // namespace hloroof::internal::inline analysis

namespace hloroof::inline v0 {
using namespace internal;

std::vector<InstructionId> CallGraph::scheduled_instructions() const {
  std::vector<InstructionId> result;
  for (ComputationId id : scheduled_) {
    for (InstructionView instruction : module_->computation(id).instructions()) result.push_back(instruction.id());
  }
  return result;
}

CallGraph analyze_calls(const Module& module, const CallOptions& options) {
  CallRecord record;
  return CallFacts::find(module, options, record);
}

}  // namespace hloroof::inline v0
