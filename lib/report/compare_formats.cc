// Writes a comparison as JSON and CSV.

#include "lib/report/compare.h"
#include "lib/report/csv.h"
#include "lib/report/record_csv.h"
#include "lib/report/record_json.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kComparisonSchema[] = {"hloroof.comparison/1"};

struct ComparedCategory {
  const ComparedOp* sum = nullptr;
};
struct UnmeasuredOp {
  const ComparedOp* op = nullptr;
};

struct ComparisonDocument {
  const StepPrediction* prediction = nullptr;
  const Comparison* comparison = nullptr;
  std::vector<ComparedCategory> categories;
  std::vector<UnmeasuredOp> unmeasured;

  double measured_step() const { return comparison->step_seconds.value_or(comparison->measured_seconds); }
};

const ComparedOp& times_of(const ComparedOp& op) { return op; }
const ComparedOp& times_of(const ComparedCategory& category) { return *category.sum; }

std::optional<double> positive(double value) { return value > 0 ? std::optional<double>(value) : std::nullopt; }

std::optional<double> ratio(double measured, double predicted) {
  return predicted > 0 ? std::optional<double>(measured / predicted) : std::nullopt;
}

// The fields that ops and categories have in common.
constexpr auto kTimes =
    fields(field("measured_seconds", Unit::kSeconds, "Measured time of one step.",
                 [](const auto& row) { return times_of(row).measured; }),
           field("predicted_seconds", Unit::kSeconds, "Predicted time of one step.",
                 [](const auto& row) { return times_of(row).predicted; }),
           field("roof_seconds", Unit::kSeconds, "Time at the nominal peak of the limiting resource.",
                 [](const auto& row) { return positive(times_of(row).roof); }),
           field("ratio", Unit::kNone, "measured_seconds / predicted_seconds.",
                 [](const auto& row) { return ratio(times_of(row).measured, times_of(row).predicted); }),
           field("over_prediction", Unit::kNone, "True if measured takes over twice the predicted time.",
                 [](const auto& row) { return times_of(row).is_slow(); }),
           field("over_roof", Unit::kNone, "True if measured takes over twice roof_seconds.",
                 [](const auto& row) { return times_of(row).is_off_roof(); }));

ComparisonDocument document_of(const StepPrediction& prediction, const Comparison& comparison) {
  ComparisonDocument document;
  document.prediction = &prediction;
  document.comparison = &comparison;
  for (const ComparedOp& category : comparison.categories) document.categories.push_back({&category});
  for (const ComparedOp& op : comparison.unmeasured) document.unmeasured.push_back({&op});
  return document;
}

}  // namespace

template <>
struct Described<ComparedOp> {
  static constexpr RecordInfo kInfo = {"op", "ComparedOp", "An op that is in the module and in the profile."};
  static constexpr auto kFields = concatenated(
      concatenated(fields(field("name", Unit::kNone, "Name of the instruction, without %.", &ComparedOp::name),
                          field("category", Unit::kNone, "Category as XProf names it.", &ComparedOp::category)),
                   kTimes),
      fields(field("terms", Unit::kNone, "The longest parts of the prediction; null unless the op is over a limit.",
                   [](const ComparedOp& op) { return text_or_null(op.terms); })
                 .only_in(Formats::kJsonOnly)));
};

template <>
struct Described<ComparedCategory> {
  static constexpr RecordInfo kInfo = {"category", "ComparedCategory", "The compared ops of one category."};
  static constexpr auto kFields = concatenated(
      fields(field("name", Unit::kNone, "Name of the category.",
                   [](const ComparedCategory& category) -> const std::string& { return category.sum->name; })),
      kTimes);
};

template <>
struct Described<MeasuredOp> {
  static constexpr RecordInfo kInfo = {"unmatched", "MeasuredOp", "An op of the profile that is not in the module."};
  static constexpr auto kFields =
      fields(field("name", Unit::kNone, "Name in the profile.", &MeasuredOp::name),
             field("measured_seconds", Unit::kSeconds, "Measured time of one step.", &MeasuredOp::seconds),
             field("occurrences", Unit::kCount, "Occurrences in one step.", &MeasuredOp::occurrences));
};

template <>
struct Described<UnmeasuredOp> {
  static constexpr RecordInfo kInfo = {"unmeasured", "UnmeasuredOp", "An op of the module that is not in the profile."};
  static constexpr auto kFields =
      fields(field("name", Unit::kNone, "Name of the instruction, without %.",
                   [](const UnmeasuredOp& row) -> const std::string& { return row.op->name; }),
             field("category", Unit::kNone, "Category as XProf names it.",
                   [](const UnmeasuredOp& row) -> const std::string& { return row.op->category; }),
             field("predicted_seconds", Unit::kSeconds, "Predicted time of one step.",
                   [](const UnmeasuredOp& row) { return row.op->predicted; }),
             field("roof_seconds", Unit::kSeconds, "Time at the nominal peak of the limiting resource.",
                   [](const UnmeasuredOp& row) { return positive(row.op->roof); })
                 .only_in(Formats::kCsvOnly));
};

template <>
struct Described<ComparisonDocument> {
  using Document = ComparisonDocument;
  static constexpr RecordInfo kInfo = {"comparison", "Comparison", "A prediction compared with a profile."};
  static constexpr auto kFields = fields(
      schema_field<kComparisonSchema>(),
      field("module", Unit::kNone, "Name of the module.",
            [](const Document& d) -> const std::string& { return d.prediction->module_name; }),
      field("device", Unit::kNone, "Name of the device.",
            [](const Document& d) -> const std::string& { return d.prediction->device; }),
      field("profile", Unit::kNone, "Format of the profile.",
            [](const Document& d) -> const std::string& { return d.comparison->format; }),
      field("program", Unit::kNone, "Program of the profile that was compared; null if the profile does not name any.",
            [](const Document& d) { return text_or_null(d.comparison->program); }),
      field("steps", Unit::kCount, "Steps in the profile.", [](const Document& d) { return d.comparison->steps; }),
      field("measured_step_seconds", Unit::kSeconds, "Measured step time; null if the profile does not state it.",
            [](const Document& d) { return d.comparison->step_seconds; }),
      field("measured_op_seconds", Unit::kSeconds, "Measured time of one step in all ops of the program.",
            [](const Document& d) { return d.comparison->measured_seconds; }),
      field("predicted_step_seconds", Unit::kSeconds, "Predicted step time.",
            [](const Document& d) { return d.prediction->step_seconds; }),
      field("ratio", Unit::kNone, "Measured step (or else time in ops) / predicted step.",
            [](const Document& d) { return ratio(d.measured_step(), d.prediction->step_seconds); }),
      field("explained_share", Unit::kShare, "Share of the measured step in ops that the module has.",
            [](const Document& d) {
              return d.measured_step() > 0 ? d.comparison->explained_seconds / d.measured_step() : 0;
            }),
      field("other_programs_seconds", Unit::kSeconds, "Time in ops of other programs, in the whole profile.",
            [](const Document& d) { return d.comparison->other_seconds; }),
      field("categories", Unit::kNone, "Ops by category, longest measured first.", &Document::categories),
      field("ops", Unit::kNone, "Ops in both, longest measured first.",
            [](const Document& d) -> const std::vector<ComparedOp>& { return d.comparison->ops; }),
      field("unmatched", Unit::kNone, "Ops in the profile alone, longest first.",
            [](const Document& d) -> const std::vector<MeasuredOp>& { return d.comparison->unmatched; }),
      field("unmeasured", Unit::kNone, "Ops in the module alone, longest predicted first.", &Document::unmeasured));
};

std::string comparison_json(const StepPrediction& prediction, const Comparison& comparison) {
  return records_json<ComparisonDocument>({document_of(prediction, comparison)});
}

std::string comparison_csv(const Comparison& comparison) {
  CsvLine line;
  add_csv_titles(ComparedOp(), line);
  std::string out = line.take();
  const auto add = [&](const auto& record) {
    add_csv_cells_under<ComparedOp>(record, line);
    out += line.take();
  };
  for (const ComparedOp& op : comparison.ops) add(op);
  for (const MeasuredOp& op : comparison.unmatched) add(op);
  for (const ComparedOp& op : comparison.unmeasured) add(UnmeasuredOp{&op});
  return out;
}

ResultTable comparison_table() {
  return describe_result<ComparisonDocument>(kComparisonSchema[0], "Predicted against measured: compare --format json");
}

}  // namespace hloroof::internal
