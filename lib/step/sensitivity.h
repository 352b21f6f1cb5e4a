// How the step depends on each number of the device and on the time of each op: predicts it again with one of them
// changed, from the facts of the step. What one change does not reach is not computed again.
#ifndef HLOROOF_LIB_STEP_SENSITIVITY_H_
#define HLOROOF_LIB_STEP_SENSITIVITY_H_

#include "absl/types/span.h"
#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// How much better a number is made.
inline constexpr double kBetter = 1.1;

// `facts` must be replayed, and `ops` are those of their prediction. Numbers without an effect are left out, and so are
// those of which neither more nor less is better. The ops are those with the most time in the step and the longest
// ones. Both lists begin with what saves the most.
Sensitivity find_sensitivity(const StepFacts& facts, absl::Span<const OpPrediction> ops);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_SENSITIVITY_H_
