// The sums over a step at the top of a prediction. Those of a computation are added up in program order, and then those
// of all computations, so that the sums after an edit are bit-identical to sums computed from scratch.
#ifndef HLOROOF_LIB_STEP_SUMMARY_H_
#define HLOROOF_LIB_STEP_SUMMARY_H_

#include <vector>

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "lib/base/paged_table.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// What ops do, added up.
struct WorkSums {
  double flops = 0;
  double transcendentals = 0;
  double hbm_bytes = 0;
  double logical_bytes = 0;
  double padded_bytes = 0;
  double wire_bytes = 0;

  bool are_zero() const { return *this == WorkSums(); }
  void add(const WorkSums& other, double times) {
    flops += times * other.flops;
    transcendentals += times * other.transcendentals;
    hbm_bytes += times * other.hbm_bytes;
    logical_bytes += times * other.logical_bytes;
    padded_bytes += times * other.padded_bytes;
    wire_bytes += times * other.wire_bytes;
  }
  friend bool operator==(const WorkSums&, const WorkSums&) = default;
};

// The contribution of one execution of an op.
struct OpContribution {
  WorkSums work;
  CostSource time_source = CostSource::kModel;
  CostSource source = CostSource::kModel;  // if the number of executions is not assumed
  Resource bound = Resource::kLatency;
  bool is_start = false;
  bool carries = false;  // a collective
  bool adds = false;     // the op adds to some sum or takes time
};

// The contribution of all executions of a computation.
struct ComputationContribution {
  WorkSums work;
  double exposed[kResourceCount] = {};
  double by_source[static_cast<int>(CostSource::kUnknown) + 1] = {};
  double exposed_communication = 0;
  bool waits_for_others = false;  // an op waits for a transfer that starts in another computation

  void add(const ComputationContribution& other);
};

// The tables from which the summary is computed. They persist between edits.
class Summary {
 public:
  // Fills all tables.
  void fill(const StepFacts& facts);
  // Updates the tables after the costs of the instructions in `changed` changed. In computations that are marked in
  // `stale`, the instructions or their order may also have changed.
  void update(const StepFacts& facts, absl::Span<const InstructionId> changed, const std::vector<bool>& stale);
  // Updates the tables after the loops or the times of branches changed.
  void update_calls(const StepFacts& facts);
  // Updates the tables after the sums of the replay changed in these computations, or in all.
  void update_sums(absl::Span<const ComputationId> changed);
  void update_all_sums();

  // Cuts the tables to the size of the module.
  void cut(const Module& module);

  // Computes the sums of the step. From facts.timeline, reads only the members of ReplaySums.
  void add_up(const StepFacts& facts, StepSummary& result);

  // Returns how far an op can be trusted.
  CostSource source(const Module& module, InstructionId id) const;

 private:
  void fill_row(const StepFacts& facts, InstructionId id);
  void list_ops(const Module& module, ComputationId id);
  void find_program(const StepFacts& facts);
  ComputationContribution contribution(const StepFacts& facts, ComputationId id) const;
  double exposed_on_the_wire(const StepFacts& facts, InstructionId op, double executions) const;
  ComputationContribution add_up_computations(const StepFacts& facts);

  std::vector<OpContribution> terms_;                  // by InstructionId
  std::vector<std::vector<InstructionId>> ops_;        // by ComputationId: the ops with OpContribution::adds
  std::vector<bool> assumed_;                          // by ComputationId
  PagedTable<ComputationContribution> contributions_;  // by ComputationId
  std::vector<bool> is_added_;                         // by ComputationId: its contribution is as the tables say
  bool is_other_program_ = false;
};

// Returns the exposed seconds of each collective, by its index. They are 0 for collectives that no executed instruction
// performs.
std::vector<double> exposed_of_collectives(const StepFacts& facts);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_SUMMARY_H_
