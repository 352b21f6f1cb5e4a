// A prediction that Python keeps, so that all that is asked about it is one prediction.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_PREDICTED_H_
#define HLOROOF_LIB_FRONTS_PYTHON_PREDICTED_H_

#include <nanobind/nanobind.h>

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline python {

// It has its facts, which point to the module. The bindings let the Python object of a handle keep that of its module,
// which Python never changes. It is immutable, so any number of threads may ask it at once.
class Predicted {
 public:
  // Errors: those of predict_on().
  static absl::StatusOr<Predicted> make(const Module& module, const std::string& device, const PredictOptions& options);

  const StepPrediction& step() const { return step_; }

  // The options of the prediction.
  const PredictOptions& options() const { return options_; }
  // Predicts again with other options.
  absl::StatusOr<StepPrediction> with(const PredictOptions& options) const;

 private:
  Predicted(const Module& module, std::string device, const PredictOptions& options, StepPrediction step);

  const Module* module_;
  std::string device_;
  PredictOptions options_;
  StepPrediction step_;
};

// Adds Predicted, whose methods are the answers about one prediction, and predict, which makes one.
void add_predicted(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_PREDICTED_H_
