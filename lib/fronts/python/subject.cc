#include "lib/fronts/python/subject.h"

#include "lib/hardware/named_target.h"
#include "lib/report/views.h"
#include "lib/results/prediction_json.h"

namespace hloroof::internal::inline python {

absl::StatusOr<StepPrediction> predict_on(const Module& module, const std::string& device,
                                          const PredictOptions& options) {
  absl::StatusOr<Target> target = named_target(device);
  if (!target.ok()) return target.status();
  return predict_step_time(module, *std::move(target), options);
}

absl::StatusOr<std::pair<std::string, std::string>> prediction_texts(StepPrediction step) {
  absl::StatusOr<std::string> summary = first_screen(step, true, ViewOptions());
  if (!summary.ok()) return summary.status();
  return std::make_pair(predictions_json({std::move(step)}), *std::move(summary));
}

}  // namespace hloroof::internal::inline python
