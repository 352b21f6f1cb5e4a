// The verdict: one sentence on what limits the step and what could change it.
#ifndef HLOROOF_LIB_REPORT_VERDICT_H_
#define HLOROOF_LIB_REPORT_VERDICT_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline report {

// Returns one or two sentences without a line break, or an empty text if the step takes no time.
std::string verdict(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_VERDICT_H_
