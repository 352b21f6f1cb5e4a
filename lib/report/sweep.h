// What a prediction comes to, in one record: the lines of a sweep's table, as CSV and JSON.
#ifndef HLOROOF_LIB_REPORT_SWEEP_H_
#define HLOROOF_LIB_REPORT_SWEEP_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {

std::string sweep_csv(const std::vector<NamedPrediction>& points);

// Schema "hloroof.sweep/1": {schema, points[{file, device, topology, slices, set{}, step_seconds, ...}]}.
std::string sweep_json(const std::vector<NamedPrediction>& points);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_SWEEP_H_
