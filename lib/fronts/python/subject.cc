#include "lib/fronts/python/subject.h"

#include "lib/hardware/named_target.h"

namespace hloroof::internal::inline python {

absl::StatusOr<StepPrediction> predict_on(const Module& module, const std::string& device,
                                          const PredictOptions& options) {
  absl::StatusOr<Target> target = named_target(device);
  if (!target.ok()) return target.status();
  return predict_step_time(module, *std::move(target), options);
}

absl::StatusOr<Texts> texts_of(const Found& found, const ViewOptions& view) {
  absl::StatusOr<TextAndJson> both = answer_as_text_and_json(found, view);
  if (!both.ok()) return both.status();
  return Texts(std::move(both->text), std::move(both->json));
}

}  // namespace hloroof::internal::inline python
