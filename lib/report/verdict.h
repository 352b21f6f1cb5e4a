// What the first screen says in words: one sentence on what limits the step and what could change it, and what the MFU
// counts.
#ifndef HLOROOF_LIB_REPORT_VERDICT_H_
#define HLOROOF_LIB_REPORT_VERDICT_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline report {

// Returns one or two sentences without a line break, or an empty text if the step takes no time.
std::string verdict(const StepPrediction& prediction);

// What the MFU counts: "at most: without 2.2 Tflop repeated by other devices". Empty if that is all FLOPs, as the HFU
// does.
std::string model_flops_text(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_VERDICT_H_
