// Writes the headline numbers of each prediction of a sweep as CSV and JSON.
#ifndef HLOROOF_LIB_REPORT_SWEEP_H_
#define HLOROOF_LIB_REPORT_SWEEP_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/report/schema.h"
#include "lib/report/views.h"

namespace hloroof::internal {

std::string sweep_csv(const std::vector<NamedPrediction>& points);

// Schema "hloroof.sweep/1".
std::string sweep_json(const std::vector<NamedPrediction>& points);

// The fields of a sweep and of all records in it.
ResultTable sweep_table();

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_SWEEP_H_
