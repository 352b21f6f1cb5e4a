// A comparison as JSON and CSV.
#include "lib/report/compare.h"
#include "lib/report/csv.h"
#include "lib/report/json_writer.h"

namespace hloroof::inline v0 {
namespace {

std::optional<double> ratio(const ComparedOp& op) {
  if (op.predicted <= 0) return std::nullopt;
  return op.measured / op.predicted;
}

std::optional<double> positive(double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; }

void write_compared(const ComparedOp& op, bool with_category, JsonWriter& out) {
  out.begin_object();
  out.member("name", std::string_view(op.name));
  if (with_category) out.member("category", std::string_view(op.category));
  out.member("measured_seconds", op.measured);
  out.member("predicted_seconds", op.predicted);
  out.member("roof_seconds", positive(op.roof));
  out.member("ratio", ratio(op));
  out.member("over_prediction", op.is_slow());
  out.member("over_roof", op.is_off_roof());
  out.end_object();
}

}  // namespace

std::string comparison_json(const StepPrediction& prediction, const Comparison& comparison) {
  JsonWriter out;
  const double whole = comparison.step_seconds.value_or(comparison.measured_seconds);
  out.begin_object();
  out.member("schema", "hloroof.comparison/1");
  out.member("module", std::string_view(prediction.module_name));
  out.member("device", std::string_view(prediction.device));
  out.member("profile", std::string_view(comparison.format));
  out.member("program", comparison.program.empty() ? std::optional<std::string_view>()
                                                   : std::optional<std::string_view>(comparison.program));
  out.member("steps", comparison.steps);
  out.member("measured_step_seconds", comparison.step_seconds);
  out.member("measured_op_seconds", comparison.measured_seconds);
  out.member("predicted_step_seconds", prediction.step_seconds);
  out.member("ratio", prediction.step_seconds > 0 ? std::optional<double>(whole / prediction.step_seconds)
                                                  : std::optional<double>());
  out.member("explained_share", whole > 0 ? comparison.explained_seconds / whole : 0);
  out.member("other_programs_seconds", comparison.other_seconds);
  out.key("categories");
  out.begin_array();
  for (const ComparedOp& category : comparison.categories) write_compared(category, false, out);
  out.end_array();
  out.key("ops");
  out.begin_array();
  for (const ComparedOp& op : comparison.ops) write_compared(op, true, out);
  out.end_array();
  out.key("unmatched");
  out.begin_array();
  for (const MeasuredOp& op : comparison.unmatched) {
    out.begin_object();
    out.member("name", std::string_view(op.name));
    out.member("measured_seconds", op.seconds);
    out.member("occurrences", op.occurrences);
    out.end_object();
  }
  out.end_array();
  out.key("unmeasured");
  out.begin_array();
  for (const ComparedOp& op : comparison.unmeasured) {
    out.begin_object();
    out.member("name", std::string_view(op.name));
    out.member("category", std::string_view(op.category));
    out.member("predicted_seconds", op.predicted);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take_document();
}

std::string comparison_csv(const Comparison& comparison) {
  CsvLine line;
  for (const char* title : {"name", "category", "measured_seconds", "predicted_seconds", "roof_seconds", "ratio",
                            "over_prediction", "over_roof"}) {
    line.add(title);
  }
  std::string out = line.take();
  const std::optional<double> none;
  for (const ComparedOp& op : comparison.ops) {
    line.add(op.name);
    line.add(op.category);
    line.add(op.measured);
    line.add(op.predicted);
    line.add(positive(op.roof));
    line.add(ratio(op));
    line.add(std::int64_t{op.is_slow()});
    line.add(std::int64_t{op.is_off_roof()});
    out += line.take();
  }
  for (const MeasuredOp& op : comparison.unmatched) {
    line.add(op.name);
    line.add("");
    line.add(op.seconds);
    for (int i = 0; i < 5; ++i) line.add(none);
    out += line.take();
  }
  for (const ComparedOp& op : comparison.unmeasured) {
    line.add(op.name);
    line.add(op.category);
    line.add(none);
    line.add(op.predicted);
    line.add(positive(op.roof));
    for (int i = 0; i < 3; ++i) line.add(none);
    out += line.take();
  }
  return out;
}

}  // namespace hloroof::inline v0
