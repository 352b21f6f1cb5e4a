#include "lib/results/prediction_json.h"

#include "lib/describe/record_json.h"
#include "lib/describe/schema.h"
#include "lib/results/prediction_fields.h"

namespace hloroof::internal::inline results {

void write_json(const StepPrediction& prediction, JsonWriter& out) {
  write_json_value(PredictionDocument(prediction), out, prediction.family);
}

PredictionsWriter::PredictionsWriter(std::size_t count)
    : out_(count != 1 ? JsonLayout::kRowsOfDocuments : JsonLayout::kRows), is_array_(count != 1) {
  if (is_array_) out_.begin_array();
}

void PredictionsWriter::add(const StepPrediction& prediction) {
  constexpr std::size_t kBytesOfOp = 900;  // with its share of the rest, in dumps of the corpus
  out_.expect(kBytesOfOp * prediction.ops.size());
  write_json(prediction, out_);
}

std::string PredictionsWriter::take() {
  if (is_array_) out_.end_array();
  return out_.take_document();
}

std::string predictions_json(const std::vector<StepPrediction>& predictions) {
  PredictionsWriter writer(predictions.size());
  for (const StepPrediction& prediction : predictions) writer.add(prediction);
  return writer.take();
}

ResultTable prediction_table() {
  return describe_result<PredictionDocument>(kPredictionSchema[0], "A prediction: predict --format json");
}

}  // namespace hloroof::internal::inline results
