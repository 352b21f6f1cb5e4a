// Predictions as CSV (RFC 4180): one line an op, raw SI numbers.
#ifndef HLOROOF_LIB_REPORT_CSV_H_
#define HLOROOF_LIB_REPORT_CSV_H_

#include <string>
#include <utility>
#include <vector>

#include "hloroof/predict.h"

namespace hloroof::inline v0 {

// `predictions` with the file each is of. The first line names the columns, which are the members of an op in the JSON.
std::string predictions_csv(const std::vector<std::pair<std::string, StepPrediction>>& predictions);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_CSV_H_
