// The facts about one step of a module on a device: the parts of a prediction, in dependency order.
//
//   find_facts() runs the stages up to the schedule, and replay_facts() runs the last one. predict_from_facts() copies
//   the results of all stages into a StepPrediction. The Predictor keeps the parts and reruns a stage if an edit made
//   its part stale (predictor.cc).
#ifndef HLOROOF_LIB_STEP_FACTS_H_
#define HLOROOF_LIB_STEP_FACTS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/analysis/call_record.h"
#include "lib/analysis/collectives.h"
#include "lib/base/paged_table.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/list_schedule.h"
#include "lib/schedule/timeline.h"
#include "lib/step/costs.h"
#include "lib/step/program_code.h"

namespace hloroof::internal::inline step {

// Each part depends only on the parts above it. All parts are const once a StepPrediction points to this object.
// hloroof/predict.h documents lifetime and thread safety.
struct StepFacts {
  // The inputs.
  std::shared_ptr<const Module> module;  // owns the module only if the prediction parsed the text itself
  PredictOptions options;
  Target target;  // as the options configure it

  // The parts.
  CallGraph calls;
  CollectiveCosts collectives;              // includes the mesh and its mapping to the machine
  std::shared_ptr<const ProgramCode> code;  // null: PredictOptions::code is empty
  Costs costs;                              // work, time and demand of each instruction
  AsyncPairs pairs;
  ListSchedule schedule;  // empty if the module has a schedule
  Timeline timeline;      // the replay: sums over the step, critical path, events

  // Returns how often a computation runs in the step. A conditional takes the branches that the replay chose for it.
  double executions(ComputationId id) const { return timeline.executions[id.index]; }
  double executions(InstructionView instruction) const { return executions(instruction.computation().id()); }
};

// The parts that depend on the module and the options, and not on the target. Predictions on several targets share
// them.
struct ModuleFacts {
  std::shared_ptr<const Module> module;
  CallGraph calls;
  std::vector<Collective> collectives;
  PagedTable<Shared<Work>> work;        // by InstructionId
  std::shared_ptr<KernelRuns> kernels;  // that the work comes from
  AsyncPairs pairs;
};

// What the searches for calls and collectives leave for those after an edit.
struct SearchRecords {
  CallRecord calls;
  CollectiveRecord collectives;

  // Computations from this index on are gone.
  void cut(std::size_t computation_limit) {
    calls.cut(computation_limit);
    collectives.cut(computation_limit);
  }
};

// Returns a non-owning pointer to `module`, which must outlive the pointer.
inline std::shared_ptr<const Module> borrow(const Module& module) { return {std::shared_ptr<const Module>(), &module}; }

// Computes the parts that do not depend on the target. Reads only the options that concern the program: trip counts,
// branches, custom calls and lists of kernels. Errors: those of predict_step_time about the module and these options.
absl::StatusOr<ModuleFacts> find_module_facts(std::shared_ptr<const Module> module, const PredictOptions& options);
// The same, and leaves records.
absl::StatusOr<ModuleFacts> find_module_facts(std::shared_ptr<const Module> module, const PredictOptions& options,
                                              SearchRecords& records);

// Returns facts with only these parts, for change_target().
StepFacts facts_without_target(ModuleFacts of_module);

// Computes all parts except the timeline and the roles of collectives and axes. Errors: those of predict_step_time,
// except the errors of `strict`.
absl::StatusOr<StepFacts> find_facts(ModuleFacts of_module, Target target, const PredictOptions& options);
absl::StatusOr<StepFacts> find_facts(std::shared_ptr<const Module> module, Target target,
                                     const PredictOptions& options);

// Computes the parts again for another target and other options, except those in ModuleFacts. After an error, the parts
// are unspecified.
absl::Status change_target(Target target, const PredictOptions& options, StepFacts& facts);

// Fills in facts.timeline. Errors: OutOfRange if the step time overflows.
absl::Status replay_facts(StepFacts& facts);

// Fills in only the members of ReplaySums. Errors: as above.
absl::Status replay_sums(StepFacts& facts);

// ---- Stages --------------------------------------------------------------------------------------------------------

// Returns the target with the topology, the slices and the parameters that the options set. Errors: those of
// parse_topology and set_parameter.
absl::StatusOr<Target> configure_target(Target target, const PredictOptions& options);

// Extracts the options of the call graph from those of a prediction.
CallOptions call_options(const PredictOptions& options);

// Computes the call graph with the given options, after the search that left `record`, if it is not empty. Errors:
// InvalidArgument if the options name an instruction that does not exist.
absl::StatusOr<CallGraph> find_calls(const Module& module, const PredictOptions& options, CallRecord& record);

// Returns the parts that determine the costs of instructions.
CostInputs cost_inputs(const StepFacts& facts);

// Returns the order for a module without a schedule. The result is empty if the module has one.
ListSchedule find_schedule(const StepFacts& facts);

// Returns the seconds of the step with the estimates in the dump instead of those of the model, or nullopt if the dump
// has none.
std::optional<double> compiler_step_seconds(const StepFacts& facts);

// Returns the seconds of the step if `resource` took no time. This shows which resource to make faster first.
double step_seconds_without(const StepFacts& facts, Resource resource);

// The seconds of one execution of each scheduled computation, by ComputationId, if its ops run one after another, with
// all that they run: the slowest branch of a conditional and all trips of a loop. `own` returns the seconds of an
// instruction without what it calls.
std::vector<double> serial_seconds(const StepFacts& facts, absl::FunctionRef<double(InstructionView)> own);
// The same of one instruction. `seconds` are those of the computations that it calls.
double serial_seconds_of(const StepFacts& facts, InstructionView instruction, double own,
                         const std::vector<double>& seconds);

// ---- How far to trust an op ----------------------------------------------------------------------------------------

// Returns, by ComputationId, whether the number of executions of a computation is assumed. Inside a loop of unknown
// length it is assumed for all computations, regardless of how reliable the cost of each op is. So it is for the
// branches of a conditional whose probabilities nobody states, unless they take about as long as one another.
std::vector<bool> assumed_computations(const StepFacts& facts);

// Returns how far the cost of an op can be trusted, provided that the number of its executions is not assumed.
CostSource op_source(const StepFacts& facts, InstructionId id);

// Adjusts `source` for an op in a computation that is marked by assumed_computations.
inline CostSource in_assumed(CostSource source) { return worse(source, CostSource::kAssumed); }

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_FACTS_H_
