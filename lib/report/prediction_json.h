// A prediction as JSON, schema "hloroof.prediction/1": SI units, every member present, null where a fact is absent.
// lib/report/schema/prediction.schema.json is the schema.
#ifndef HLOROOF_LIB_REPORT_PREDICTION_JSON_H_
#define HLOROOF_LIB_REPORT_PREDICTION_JSON_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/report/json_writer.h"

namespace hloroof::inline v0 {

void write_json(const StepPrediction& prediction, JsonWriter& out);

// One object for one prediction, an array for several; with a final line end.
std::string predictions_json(const std::vector<StepPrediction>& predictions);

std::string_view cost_source_name(CostSource source);  // "model"
std::string_view severity_name(Severity severity);     // "warning"

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_PREDICTION_JSON_H_
