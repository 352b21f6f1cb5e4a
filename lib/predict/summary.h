// The sums over a step that head a prediction. They are added up in one order, that of the program, whoever asks: after
// an edit they come out bit for bit as from scratch.
#ifndef HLOROOF_LIB_PREDICT_SUMMARY_H_
#define HLOROOF_LIB_PREDICT_SUMMARY_H_

#include <vector>

#include "hloroof/predict.h"
#include "lib/predict/facts.h"
#include "lib/schedule/replayer.h"

namespace hloroof::inline v0 {

// What one execution of an op adds.
struct OpTerms {
  double flops = 0;
  double transcendentals = 0;
  double hbm_bytes = 0;
  double logical_bytes = 0;
  double padded_bytes = 0;
  double wire_bytes = 0;
  CostSource time_source = CostSource::kModel;
  CostSource source = CostSource::kModel;  // where the number of executions is not assumed
  Resource bound = Resource::kLatency;
  bool is_done = false;
  bool adds = false;  // anything at all, or takes time
};

// Tables that the summary is made from, kept between edits.
class Summary {
 public:
  // All of them.
  void fill(const Module& module, const StepFacts& facts);
  // After changes to the costs of some instructions, and in computations that are marked in `stale` to their order too.
  void update(const Module& module, const StepFacts& facts, Span<InstructionId> changed,
              const std::vector<bool>& stale);
  // After a change to the loops.
  void update_calls(const Module& module, const StepFacts& facts);

  // `sums` are those of the replay.
  void add_up(const Module& module, const StepFacts& facts, const ReplaySums& sums, StepSummary& result) const;

  // Seconds that each collective is waited for, by its index; 0 for those that no executed instruction performs. Adds
  // their sum to `result`.
  std::vector<double> add_up_exposed(const Module& module, const StepFacts& facts, const ReplaySums& sums,
                                     StepSummary& result) const;

  // What an op is to be believed.
  CostSource source(const Module& module, InstructionId id) const;

 private:
  void fill_row(const Module& module, const StepFacts& facts, InstructionId id);
  void list_ops(const Module& module, ComputationId id);

  std::vector<OpTerms> terms_;                   // by InstructionId
  std::vector<std::vector<InstructionId>> ops_;  // by ComputationId: those that add anything
  std::vector<bool> assumed_;                    // by ComputationId
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_PREDICT_SUMMARY_H_
