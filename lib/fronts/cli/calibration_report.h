// The result of `calibrate` in its formats.
#ifndef HLOROOF_LIB_FRONTS_CLI_CALIBRATION_REPORT_H_
#define HLOROOF_LIB_FRONTS_CLI_CALIBRATION_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/calibrate/parameter_fit.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"

namespace hloroof::internal::inline cli {

// How far the predictions of some measurements were off before the fit, and are after it.
struct CalibrationErrors {
  std::string_view part;  // "fitted" or "held back"
  std::int64_t measurements = 0;
  FitError before;
  FitError after;
};

struct CalibrationReport {
  std::string device;
  std::vector<FittedParameter> parameters;
  std::vector<CalibrationErrors> errors;
};

std::string calibration_text(const CalibrationReport& report, const TextLayout& layout);

// Schema "hloroof.calibration/1".
std::string calibration_json(const CalibrationReport& report);

// One line for each parameter.
std::string calibration_csv(const CalibrationReport& report);

// The fields of the report and of all records in it.
ResultTable calibration_table();

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_CALIBRATION_REPORT_H_
