// Incremental prediction of the step time of a module between edits.
//
//   absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *find_device("tpu_v5e"));
//   double before = predictor->summary()->step_seconds;
//   status = predictor->edit().set_layout(id, layout);
//   double after = predictor->summary()->step_seconds;
//
// The predictor recomputes only results that an edit invalidates. It keeps the costs of other instructions, the loops,
// the mesh and the replay of other computations. The result is bit-identical to predict_step_time() on the current
// module.
//
// Lifetime: the predictor owns the module. ModuleEditor documents how long its ids and views are valid. The fields of a
// prediction are copies and stay valid. Its `facts` point to the module: make the views that read them before the next
// edit and before the predictor is destroyed. A prediction that outlives an edit costs one copy of its facts.
//
// Threads: only one thread at a time may use a predictor. Different predictors share no state.
#ifndef HLOROOF_PREDICTOR_H_
#define HLOROOF_PREDICTOR_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/edit.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof {
inline namespace v0 {

class Predictor {
 public:
  // Errors: those of predict_step_time().
  static absl::StatusOr<Predictor> create(Module module, Target target, const PredictOptions& options = {});

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const Module& module() const;

  // Returns the editor for all changes to the module. It lives as long as the predictor, and moving the predictor does
  // not invalidate it.
  ModuleEditor& edit();

  // Returns the step time and the totals of the current module. Recomputes the results that the edits since the last
  // call invalidated, then makes one pass over the totals. Errors: those of predict_step_time() except those of
  // `strict`. The next call retries, so the caller can revert an edit that made the module invalid.
  absl::StatusOr<StepSummary> summary();

  // Predicts the memory of one device, in a pass over the whole program. Errors: those of summary().
  absl::StatusOr<MemoryPrediction> memory();

  // Returns the full prediction. Reuses costs, but rebuilds the lists, the timeline and the diagnostics. Errors: those
  // of predict_step_time().
  absl::StatusOr<StepPrediction> predict();

 private:
  struct State;
  explicit Predictor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PREDICTOR_H_
