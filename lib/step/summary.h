// The sums over a step at the top of a prediction. They are always added up in program order, so that the sums after an
// edit are bit-identical to sums computed from scratch.
#ifndef HLOROOF_LIB_STEP_SUMMARY_H_
#define HLOROOF_LIB_STEP_SUMMARY_H_

#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// The contribution of one execution of an op.
struct OpContribution {
  double flops = 0;
  double transcendentals = 0;
  double hbm_bytes = 0;
  double logical_bytes = 0;
  double padded_bytes = 0;
  double wire_bytes = 0;
  CostSource time_source = CostSource::kModel;
  CostSource source = CostSource::kModel;  // if the number of executions is not assumed
  Resource bound = Resource::kLatency;
  bool is_start = false;
  bool adds = false;  // the op adds to some sum or takes time
};

// The tables from which the summary is computed. They persist between edits.
class Summary {
 public:
  // Fills all tables.
  void fill(const StepFacts& facts);
  // Updates the tables after the costs of the instructions in `changed` changed. In computations that are marked in
  // `stale`, the instructions or their order may also have changed.
  void update(const StepFacts& facts, absl::Span<const InstructionId> changed, const std::vector<bool>& stale);
  // Updates the tables after the loops changed.
  void update_calls(const StepFacts& facts);

  // Cuts the tables to the size of the module.
  void cut(const Module& module);

  // Computes the sums of the step. From facts.timeline, reads only the members of ReplaySums.
  void add_up(const StepFacts& facts, StepSummary& result) const;

  // Returns the exposed seconds of each collective, by its index. They are 0 for collectives that no executed
  // instruction performs. Adds their sum to `result`.
  std::vector<double> add_up_exposed(const StepFacts& facts, StepSummary& result) const;

  // Returns how far an op can be trusted.
  CostSource source(const Module& module, InstructionId id) const;

 private:
  void fill_row(const StepFacts& facts, InstructionId id);
  void list_ops(const Module& module, ComputationId id);

  std::vector<OpContribution> terms_;            // by InstructionId
  std::vector<std::vector<InstructionId>> ops_;  // by ComputationId: the ops with OpContribution::adds
  std::vector<bool> assumed_;                    // by ComputationId
  bool is_other_program_ = false;
};

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_SUMMARY_H_
