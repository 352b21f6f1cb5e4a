// All that is known of a module on a device before the step is replayed.
#ifndef HLOROOF_LIB_PREDICT_FACTS_H_
#define HLOROOF_LIB_PREDICT_FACTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/predict/costs.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/list_schedule.h"

namespace hloroof::inline v0 {

struct StepFacts {
  Device device;  // as the options configure it
  CallGraph calls;
  std::size_t computation_limit = 0;  // of the module when the call graph was made
  // Callers of computations, by index, that edits brought since; the call graph may list some that went.
  std::multimap<std::uint32_t, InstructionId> callers_since;
  CollectiveCosts collectives;
  Costs costs;
  AsyncPairs pairs;
  ListSchedule schedule;  // of a module that has none of its own
};

// Errors: those of predict_step_time, but for what `strict` refuses.
absl::StatusOr<StepFacts> find_facts(const Module& module, const Device& device, const PredictOptions& options);

// The whole prediction. facts.calls is told which branches conditionals take. Errors: FailedPrecondition under
// `strict`; OutOfRange if the step time overflows.
absl::StatusOr<StepPrediction> predict_from_facts(const Module& module, StepFacts& facts,
                                                  const PredictOptions& options);

// The call graph as the options want it. Errors: InvalidArgument if they name what is not there.
absl::StatusOr<CallGraph> find_calls(const Module& module, const PredictOptions& options);

// Whether a list schedule stands in for the compiler's.
bool needs_schedule(const Module& module);

// Fills in facts.schedule, and turns collectives into transfers as a compiler's scheduler would.
void schedule_instructions(const Module& module, StepFacts& facts);

// options.branch_probabilities by index of the conditional.
std::map<std::uint32_t, std::vector<double>> branch_probabilities(const Module& module, const CallGraph& calls,
                                                                  const PredictOptions& options);

// Which computations, by ComputationId, run as often as was assumed: inside a loop of unknown length everything is an
// assumption, whatever each op costs.
std::vector<bool> assumed_computations(const Module& module, const CallGraph& calls);

// How far the cost of an op can be trusted, where the number of its executions can.
CostSource op_source(const Module& module, const Costs& costs, InstructionId id);

// The same of one in a computation that is marked by assumed_computations.
inline CostSource in_assumed(CostSource source) { return worse(source, CostSource::kAssumed); }

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_FACTS_H_
