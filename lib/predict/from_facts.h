// The last stage of a prediction: from the facts of a module on a device to the records of a step.
#ifndef HLOROOF_LIB_PREDICT_FROM_FACTS_H_
#define HLOROOF_LIB_PREDICT_FROM_FACTS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline predict {

// Like find_module_facts, after it has set the number of devices that run the module; see device_count.h.
absl::StatusOr<ModuleFacts> find_counted_facts(std::shared_ptr<const Module> module, const PredictOptions& options);

enum class Detail {
  kAll,
  kSummary,   // what the view summary reads: no timeline, critical path and roofs, and the lists only in part
  kHeadline,  // what a row of a sweep shows; see headline_from_facts()
};

// Returns the whole prediction, or the part that kSummary names, with equal values. Errors: FailedPrecondition under
// `strict`, for which all is found.
absl::StatusOr<StepPrediction> predict_from_facts(std::shared_ptr<const StepFacts> facts, Detail detail = Detail::kAll);

// Returns the whole prediction from the parts that do not depend on the target. Errors: those of predict_step_time.
absl::StatusOr<StepPrediction> predict_on(ModuleFacts of_module, Target target, const PredictOptions& options,
                                          Detail detail = Detail::kAll);

// The same from the module.
absl::StatusOr<StepPrediction> predict_module(std::shared_ptr<const Module> module, Target target,
                                              const PredictOptions& options, Detail detail = Detail::kAll);

// Returns only StepSummary, the description of the module and of the machine, and the diagnostics about the origin.
// Reads only the sums of the timeline. The numbers are those of predict_from_facts(), to the last bit.
StepPrediction headline_from_facts(const StepFacts& facts);

}  // namespace hloroof::internal::inline predict

#endif  // HLOROOF_LIB_PREDICT_FROM_FACTS_H_
