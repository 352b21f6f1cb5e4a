#include "lib/python/subject.h"

#include "lib/python/target.h"

namespace hloroof::internal {

absl::StatusOr<StepPrediction> predict_on(const Module& module, const std::string& device,
                                          const PredictOptions& options) {
  absl::StatusOr<Target> target = target_of(device);
  if (!target.ok()) return target.status();
  return predict_step_time(module, *std::move(target), options);
}

}  // namespace hloroof::internal
