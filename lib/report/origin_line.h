// One line about the text that a prediction was made from.
#ifndef HLOROOF_LIB_REPORT_ORIGIN_LINE_H_
#define HLOROOF_LIB_REPORT_ORIGIN_LINE_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline report {

// "TPU, optimized, scheduled, 8 partitions"; "CPU, not optimized". Empty if the text shows nothing about its
// compilation.
std::string origin_line(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline report

#endif  // HLOROOF_LIB_REPORT_ORIGIN_LINE_H_
