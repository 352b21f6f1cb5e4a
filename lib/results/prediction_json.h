// Writes a prediction as JSON, schema "hloroof.prediction/2": SI units, all members present, null for unknown facts.
// prediction_fields.h has the fields; the schema is generated from them.
#ifndef HLOROOF_LIB_RESULTS_PREDICTION_JSON_H_
#define HLOROOF_LIB_RESULTS_PREDICTION_JSON_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/describe/json_writer.h"
#include "lib/describe/schema.h"

namespace hloroof::internal::inline results {

void write_json(const StepPrediction& prediction, JsonWriter& out);

// Writes predictions one by one, each while it still has its facts. The text is one object for a single prediction,
// otherwise an array. It ends with a line end.
class PredictionsWriter {
 public:
  // Expects `count` predictions.
  explicit PredictionsWriter(std::size_t count);
  void add(const StepPrediction& prediction);
  std::string take();

 private:
  JsonWriter out_;
  bool is_array_;
};

// The text that a PredictionsWriter makes of all of them.
std::string predictions_json(const std::vector<StepPrediction>& predictions);

// The fields of a prediction and of all records in it.
ResultTable prediction_table();

}  // namespace hloroof::internal::inline results

#endif  // HLOROOF_LIB_RESULTS_PREDICTION_JSON_H_
