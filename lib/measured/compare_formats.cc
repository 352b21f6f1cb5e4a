// Writes a comparison as JSON and CSV.

#include "lib/describe/csv.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"
#include "lib/measured/compare.h"

namespace hloroof::internal::inline measured {
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
  const ProfileComparison* comparison = nullptr;
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
           field("ratio", "measured_seconds / predicted_seconds.",
                 [](const auto& row) { return ratio(times_of(row).measured, times_of(row).predicted); }),
           field("over_prediction", "True if measured takes over twice the predicted time.",
                 [](const auto& row) { return times_of(row).is_slow(); }),
           field("over_roof", "True if measured takes over twice roof_seconds.",
                 [](const auto& row) { return times_of(row).is_off_roof(); }));

ComparisonDocument document_of(const StepPrediction& prediction, const ProfileComparison& comparison) {
  ComparisonDocument document;
  document.prediction = &prediction;
  document.comparison = &comparison;
  for (const ComparedOp& category : comparison.categories) document.categories.push_back({&category});
  for (const ComparedOp& op : comparison.unmeasured) document.unmeasured.push_back({&op});
  return document;
}

}  // namespace

}  // namespace hloroof::internal::inline measured

namespace hloroof::internal {

template <>
struct Described<ComparedOp> {
  static constexpr RecordInfo kInfo = {"op", "ComparedOp", "An op that is in the module and in the profile."};
  static constexpr auto kFields =
      concatenated(concatenated(fields(field("name", "Name of the instruction, without %.", &ComparedOp::name),
                                       field("category", "Category as XProf names it.", &ComparedOp::category)),
                                kTimes),
                   fields(field("terms", "The longest parts of the prediction; null unless the op is over a limit.",
                                or_null(&ComparedOp::terms))
                              .only_in(Formats::kJsonOnly)));
};

template <>
struct Described<ComparedCategory> {
  static constexpr RecordInfo kInfo = {"category", "ComparedCategory", "The compared ops of one category."};
  static constexpr auto kFields = concatenated(
      fields(field("name", "Name of the category.",
                   [](const ComparedCategory& category) -> const std::string& { return category.sum->name; })),
      kTimes);
};

template <>
struct Described<MeasuredOp> {
  static constexpr RecordInfo kInfo = {"unmatched", "MeasuredOp", "An op of the profile that is not in the module."};
  static constexpr auto kFields =
      fields(field("name", "Name in the profile.", &MeasuredOp::name),
             field("measured_seconds", Unit::kSeconds, "Measured time of one step.", &MeasuredOp::seconds),
             field("occurrences", Unit::kCount, "Occurrences in one step.", &MeasuredOp::occurrences));
};

template <>
struct Described<UnmeasuredOp> {
  static constexpr RecordInfo kInfo = {"unmeasured", "UnmeasuredOp", "An op of the module that is not in the profile."};
  static constexpr auto kFields =
      fields(field("name", "Name of the instruction, without %.",
                   [](const UnmeasuredOp& row) -> const std::string& { return row.op->name; }),
             field("category", "Category as XProf names it.",
                   [](const UnmeasuredOp& row) -> const std::string& { return row.op->category; }),
             field("predicted_seconds", Unit::kSeconds, "Predicted time of one step.",
                   [](const UnmeasuredOp& row) { return row.op->predicted; }),
             field("roof_seconds", Unit::kSeconds, "Time at the nominal peak of the limiting resource.",
                   [](const UnmeasuredOp& row) { return positive(row.op->roof); })
                 .only_in(Formats::kCsvOnly));
};

template <>
struct Described<ComparedLayer> {
  static constexpr RecordInfo kInfo = {"compared_layer", "ComparedLayer", "A scope of the program, with all in it."};
  static constexpr auto kFields =
      fields(field("path", "Scopes from the top.", &ComparedLayer::path),
             field("depth", Unit::kCount, "0 at the top.", &ComparedLayer::depth),
             field("measured_seconds", Unit::kSeconds, "Measured time of one step.", &ComparedLayer::measured),
             field("predicted_seconds", Unit::kSeconds, "Predicted time of one step.", &ComparedLayer::predicted),
             field("ratio", "measured_seconds / predicted_seconds.",
                   [](const ComparedLayer& row) { return ratio(row.measured, row.predicted); }));
};

template <>
struct Described<ComparedWait> {
  static constexpr RecordInfo kInfo = {"compared_wait", "ComparedWait",
                                       "An op that waits for a transfer or for other devices."};
  static constexpr auto kFields = fields(
      field("name", "Name of the instruction, without %.", &ComparedWait::name),
      field("measured_seconds", Unit::kSeconds, "Measured time of one step in the op.", &ComparedWait::measured),
      field("predicted_seconds", Unit::kSeconds, "Predicted time of one step in the op.", &ComparedWait::predicted),
      field("measured_in_flight_seconds", Unit::kSeconds,
            "Measured time of the transfer in one step; null if the profile does not show it.",
            &ComparedWait::measured_in_flight),
      field("predicted_in_flight_seconds", Unit::kSeconds,
            "Predicted time of the transfer in one step; null if the op starts no transfer.",
            &ComparedWait::predicted_in_flight));
};

template <>
struct Described<MeasuredGap> {
  static constexpr RecordInfo kInfo = {"measured_gap", "MeasuredGap", "A time of the step in which no op runs."};
  static constexpr auto kFields =
      fields(field("after", "The op that ends last before it.", &MeasuredGap::after),
             field("before", "The op that begins after it.", &MeasuredGap::before),
             field("occurrences", Unit::kCount, "Occurrences in one step.", &MeasuredGap::occurrences),
             field("seconds", Unit::kSeconds, "Idle time of one step.", &MeasuredGap::seconds));
};

template <>
struct Described<ComparedDevice> {
  static constexpr RecordInfo kInfo = {"compared_device", "ComparedDevice", "A device of the profile."};
  static constexpr auto kFields = fields(
      field("host", "Name of its host.", &ComparedDevice::host),
      field("name", "Name on its host.", &ComparedDevice::name),
      field("runs", Unit::kCount, "Runs of the program.", &ComparedDevice::runs),
      field("step_seconds", Unit::kSeconds, "Mean time of a run.", &ComparedDevice::step_seconds),
      field("busy_seconds", Unit::kSeconds, "Time of a run in which at least one op runs.",
            &ComparedDevice::busy_seconds),
      field("own_seconds", Unit::kSeconds,
            "Time of a run in ops that wait neither for transfers nor for other devices.",
            &ComparedDevice::own_seconds),
      field("wait_seconds", Unit::kSeconds, "Time of a run in ops that wait.", &ComparedDevice::wait_seconds),
      field("between_seconds", Unit::kSeconds, "Idle time before a run, after the previous one.",
            &ComparedDevice::between_seconds),
      field("over_median", Unit::kShare, "own_seconds / the median of all devices - 1.", &ComparedDevice::over_median),
      field("straggler", "True if own_seconds is over 5 % above the median.", &ComparedDevice::is_straggler),
      field("slowest_op", "The op in which a straggler loses most; null for other devices.",
            or_null(&ComparedDevice::slowest_op)));
};

template <>
struct Described<ComparisonDocument> {
  using Document = ComparisonDocument;
  static constexpr RecordInfo kInfo = {"comparison", "Comparison", "A prediction compared with a profile."};
  static constexpr auto kFields = fields(
      schema_field<kComparisonSchema>(),
      field("module", "Name of the module.",
            [](const Document& d) -> const std::string& { return d.prediction->module_name; }),
      field("device", "Name of the device.",
            [](const Document& d) -> const std::string& { return d.prediction->device; }),
      field("profile", "Format of the profile.",
            [](const Document& d) -> const std::string& { return d.comparison->format; }),
      field("program", "Program of the profile that was compared; null if the profile does not name any.",
            [](const Document& d) { return text_or_null(d.comparison->program); }),
      field("steps", Unit::kCount, "Steps in the profile.", [](const Document& d) { return d.comparison->steps; }),
      field("measured_step_seconds", Unit::kSeconds, "Measured step time; null if the profile does not state it.",
            [](const Document& d) { return d.comparison->step_seconds; }),
      field("measured_op_seconds", Unit::kSeconds, "Measured time of one step in all ops of the program.",
            [](const Document& d) { return d.comparison->measured_seconds; }),
      field("predicted_step_seconds", Unit::kSeconds, "Predicted step time.",
            [](const Document& d) { return d.prediction->step_seconds; }),
      field("ratio", "Measured step (or else time in ops) / predicted step.",
            [](const Document& d) { return ratio(d.measured_step(), d.prediction->step_seconds); }),
      field("explained_share", Unit::kShare, "Share of the measured step in ops that the module has.",
            [](const Document& d) {
              return d.measured_step() > 0 ? d.comparison->explained_seconds / d.measured_step() : 0;
            }),
      field("other_programs_seconds", Unit::kSeconds, "Time in ops of other programs, in the whole profile.",
            [](const Document& d) { return d.comparison->other_seconds; }),
      field("categories", "Ops by category, longest measured first.", &Document::categories),
      field("ops", "Ops in both, longest measured first.",
            [](const Document& d) -> const std::vector<ComparedOp>& { return d.comparison->ops; }),
      field("unmatched", "Ops in the profile alone, longest first.",
            [](const Document& d) -> const std::vector<MeasuredOp>& { return d.comparison->unmatched; }),
      field("unmeasured", "Ops in the module alone, longest predicted first.", &Document::unmeasured),
      field("run", "Folder of the profile; null unless it is one.",
            [](const Document& d) { return text_or_null(d.comparison->run); }),
      field("device_kind", "Device of the profile; null if the profile does not name it.",
            [](const Document& d) { return text_or_null(d.comparison->device_kind); }),
      field("marked_step_seconds", Unit::kSeconds,
            "Mean time of the steps that the program marked; null if it marked none.",
            [](const Document& d) { return d.comparison->marked_step_seconds; }),
      field("layers", "Scopes of the program, parents first; from an xplane file, as all that follows.",
            [](const Document& d) -> const std::vector<ComparedLayer>& { return d.comparison->layers; }),
      field("waits", "Ops that wait, longest measured first.",
            [](const Document& d) -> const std::vector<ComparedWait>& { return d.comparison->waits; }),
      field("gaps", "Gaps between ops, longest first.",
            [](const Document& d) -> const std::vector<MeasuredGap>& { return d.comparison->gaps; }),
      field("devices", "Devices, by host and name.",
            [](const Document& d) -> const std::vector<ComparedDevice>& { return d.comparison->devices; }));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline measured {

std::string comparison_json(const StepPrediction& prediction, const ProfileComparison& comparison) {
  return records_json<ComparisonDocument>({document_of(prediction, comparison)});
}

std::string comparison_csv(const ProfileComparison& comparison) {
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

}  // namespace hloroof::internal::inline measured
