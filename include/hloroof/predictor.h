// The step time of a module that is being changed: edit, ask, edit again.
//
//   absl::StatusOr<Predictor> predictor = Predictor::create(std::move(module), *find_device("tpu_v5e"));
//   double before = predictor->summary()->step_seconds;
//   status = predictor->edit().set_layout(id, layout);
//   double after = predictor->summary()->step_seconds;
//
// What an edit does not touch is not worked out again: the costs of other instructions, the loops, the mesh, the replay
// of other computations. The answer is that of predict_step_time() for the module as it now is, to the last bit.
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

// Not thread-safe; predictors of different modules do not know of each other.
class Predictor {
 public:
  // Errors: those of predict_step_time().
  static absl::StatusOr<Predictor> create(Module module, const Device& device, const PredictOptions& options = {});

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const Module& module() const;

  // Where all changes to the module are made. The editor lives as long as the predictor, wherever that is moved.
  ModuleEditor& edit();

  // The step and the sums over it, of the module as it now is. Costs what the edits since the last call touched, and a
  // pass over the sums. Errors: those of predict_step_time(), what `strict` refuses left out; the next call tries
  // again, so that an edit that made the module impossible can be taken back.
  absl::StatusOr<StepSummary> summary();

  // Memory of one device: a pass over the whole program. Errors: those of summary().
  absl::StatusOr<MemoryPrediction> memory();

  // Everything. Costs are kept, but the lists, the timeline and the diagnostics are made anew. Errors: those of
  // predict_step_time().
  absl::StatusOr<StepPrediction> predict();

 private:
  struct State;
  explicit Predictor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace v0
}  // namespace hloroof

#endif  // HLOROOF_PREDICTOR_H_
