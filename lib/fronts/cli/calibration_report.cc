#include "lib/fronts/cli/calibration_report.h"

#include "lib/base/units.h"
#include "lib/describe/record_csv.h"
#include "lib/describe/record_json.h"

namespace hloroof::internal::inline cli {
namespace {

constexpr std::string_view kCalibrationSchema[] = {"hloroof.calibration/1"};
constexpr std::string_view kParts[] = {"fitted", "held back"};

std::int64_t count_measurements(const CalibrationReport& report) {
  std::int64_t count = 0;
  for (const CalibrationErrors& part : report.errors) count += part.measurements;
  return count;
}

}  // namespace

}  // namespace hloroof::internal::inline cli

namespace hloroof::internal {

template <>
struct Described<FittedParameter> {
  static constexpr RecordInfo kInfo = {"parameter", "FittedParameter", "A number of the device that was fitted."};
  static constexpr auto kFields =
      fields(field("path", "Path in the device file.", &FittedParameter::path),
             field("unit", "Unit of both values.", &FittedParameter::unit),
             field("before", "Value before the fit, in SI units.", &FittedParameter::before),
             field("after", "Value after the fit, in SI units.", &FittedParameter::after),
             field("least", "Least value over five fits that each leave out a fifth of the measurements.",
                   &FittedParameter::least),
             field("most", "Greatest value over those fits.", &FittedParameter::most));
};

template <>
struct Described<CalibrationErrors> {
  using Row = CalibrationErrors;
  static constexpr RecordInfo kInfo = {"errors", "CalibrationErrors",
                                       "|predicted / measured - 1| of some of the measurements."};
  static constexpr auto kFields = fields(
      field("part", "Which measurements.", &Row::part).one_of(kParts),
      field("measurements", Unit::kCount, "Their number.", &Row::measurements),
      field("median_before", Unit::kShare, "Median before the fit.", [](const Row& row) { return row.before.median; }),
      field("median_after", Unit::kShare, "Median after the fit.", [](const Row& row) { return row.after.median; }),
      field("p90_before", Unit::kShare, "90th percentile before the fit.",
            [](const Row& row) { return row.before.p90; }),
      field("p90_after", Unit::kShare, "90th percentile after the fit.", [](const Row& row) { return row.after.p90; }));
};

template <>
struct Described<CalibrationReport> {
  static constexpr RecordInfo kInfo = {"calibration", "Calibration", "Numbers of a device fitted to measurements."};
  static constexpr auto kFields =
      fields(schema_field<kCalibrationSchema>(), field("device", "Name of the device.", &CalibrationReport::device),
             field("parameters", "The fitted numbers.", &CalibrationReport::parameters),
             field("errors", "Errors of the predictions before and after the fit.", &CalibrationReport::errors));
};

}  // namespace hloroof::internal

namespace hloroof::internal::inline cli {

std::string calibration_text(const CalibrationReport& report, const TextLayout& layout) {
  Table numbers(
      {{.title = "number", .is_whole = true}, {"before", Align::kRight}, {"after", Align::kRight}, {"spread"}});
  for (const FittedParameter& parameter : report.parameters) {
    numbers.add(
        {parameter.path, format_quantity(parameter.before, parameter.unit),
         format_quantity(parameter.after, parameter.unit),
         format_quantity(parameter.least, parameter.unit) + " .. " + format_quantity(parameter.most, parameter.unit)});
  }
  Table errors({{"measurements"},
                {"", Align::kRight},
                {"median before", Align::kRight},
                {"after", Align::kRight},
                {"p90 before", Align::kRight},
                {"after", Align::kRight}});
  for (const CalibrationErrors& part : report.errors) {
    errors.add({std::string(part.part), format_count(static_cast<double>(part.measurements)),
                format_percent(part.before.median), format_percent(part.after.median), format_percent(part.before.p90),
                format_percent(part.after.p90)});
  }
  return report.device + ", " + format_count(static_cast<double>(count_measurements(report))) + " measurements\n\n" +
         numbers.to_string(layout) +
         "spread: over five fits that each leave out a fifth\n\nErrors, |predicted / measured - 1|\n" +
         errors.to_string(layout);
}

std::string calibration_json(const CalibrationReport& report) { return records_json<CalibrationReport>({report}); }

std::string calibration_csv(const CalibrationReport& report) { return records_csv(report.parameters); }

ResultTable calibration_table() {
  return describe_result<CalibrationReport>(kCalibrationSchema[0], "A calibration: calibrate --format json");
}

}  // namespace hloroof::internal::inline cli
