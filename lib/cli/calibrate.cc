#include <algorithm>
#include <memory>

#include "lib/base/strings.h"
#include "lib/calibrate/measurements.h"
#include "lib/calibrate/parameter_fit.h"
#include "lib/cli/calibration_report.h"
#include "lib/cli/subjects.h"
#include "lib/hardware/settings.h"
#include "lib/hardware/write_device.h"

namespace hloroof::internal {
namespace {

struct CalibrateFlags {
  PredictFlags predict;
  std::string measurements;
  std::vector<std::string> parameters;
  std::vector<std::string> where;
  double floor_seconds = 0;
  std::string dumps;
  std::string name;
  std::string output;
  std::string format = "text";
};

// Splits "sku=v5e" into a column and its value. Both are empty if `text` has no '='.
std::pair<std::string, std::string> column_and_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void run_calibrate(const CalibrateFlags& flags, Context& context) {
  absl::StatusOr<Target> target = find_one_target(flags.predict);
  if (!target.ok()) return context.fail(target.status());
  Device device = std::move(target->device);
  const absl::StatusOr<std::vector<Setting>> settings = parse_settings(flags.predict.set, kSetOption);
  if (!settings.ok()) return context.fail(settings.status());
  const absl::StatusOr<std::vector<Point>> points = points_of(*settings, device, kSetOption);
  if (!points.ok()) return context.fail(points.status());
  if (points->size() != 1) return context.fail(invalid_argument("--set: one value for each parameter"));
  for (const auto& [path, value] : points->front()) {
    if (absl::Status status = set_parameter(device, path, value); !status.ok()) return context.fail(status);
  }
  if (!(flags.floor_seconds >= 0)) return context.fail(invalid_argument("--floor: expected seconds from 0"));
  MeasurementOptions reading;
  reading.floor_seconds = flags.floor_seconds;
  reading.dump_root = flags.dumps;
  for (const std::string& where : flags.where) {
    reading.where.push_back(column_and_value(where));
    if (reading.where.back().first.empty()) {
      return context.fail(absl::InvalidArgumentError("--where takes COLUMN=VALUE, not '" + where + "'"));
    }
  }
  const auto measurements = read_measurements(flags.measurements, reading);
  if (!measurements.ok()) return context.fail(measurements.status());
  const Split split = split_in_two(*measurements);
  const Device before = device;
  const std::string base = device.name;
  const ParameterSource source{Provenance::kFitted,
                               "hloroof calibrate --device " + base + " --measurements " +
                                   flags.measurements.substr(flags.measurements.rfind('/') + 1),
                               ""};
  const std::vector<std::string> paths = flags.parameters.empty() ? matmul_parameters(device) : flags.parameters;
  auto fitted = fit_parameters(device, split.fitted, paths, source);
  if (!fitted.ok()) return context.fail(fitted.status());
  if (absl::Status status = add_spread(before, split.fitted, *fitted); !status.ok()) return context.fail(status);

  const auto errors = [&](std::string_view part, const std::vector<Measurement>& of) {
    return CalibrationErrors{part, static_cast<std::int64_t>(of.size()), fit_error(of, before), fit_error(of, device)};
  };
  const CalibrationReport report{
      device.name, *fitted, {errors("fitted", split.fitted), errors("held back", split.held_back)}};
  const TextLayout layout = context.layout(flags.format, false);
  context.out << (flags.format == "json"  ? calibration_json(report)
                  : flags.format == "csv" ? calibration_csv(report)
                                          : calibration_text(report, layout));
  if (flags.output.empty()) return;
  const std::string name = flags.name.empty() ? base + "_calibrated" : flags.name;
  const auto text = write_device_file(device, base, name, device.display_name + ", calibrated");
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) return context.fail(status);
}

}  // namespace

Command calibrate_command(Context& context) {
  auto flags = std::make_shared<CalibrateFlags>();
  Command command{.name = "calibrate", .text = "Fits the efficiencies of a device to measured matmuls"};
  command.options = {
      device_option(flags->predict),
      {.names = {"--measurements"},
       .argument = "CSV",
       .text = "Measured matmuls, with columns m, n, k, dtype and seconds (or median_s)",
       .target = &flags->measurements,
       .required = true},
      {.names = {"--parameters"},
       .argument = "PARAMETER,...",
       .text = "Parameters to fit, named as `devices show` prints them",
       .target = &flags->parameters},
      {.names = {"--set"},
       .argument = "PARAMETER=NUMBER",
       .text = "Override a parameter and do not fit it; may be repeated",
       .target = &flags->predict.set},
      {.names = {"--where"},
       .argument = "COLUMN=VALUE",
       .text = "Use only rows with this value; may be repeated",
       .target = &flags->where},
      {.names = {"--floor"},
       .argument = "SECONDS",
       .text = "Launch overhead included in each measured time; rows below twice this time are skipped",
       .target = &flags->floor_seconds},
      {.names = {"--dumps"},
       .argument = "FOLDER",
       .text = "Folder of the dumps that the column hlo names",
       .target = &flags->dumps},
      {.names = {"--name"}, .argument = "NAME", .text = "Name of the new device", .target = &flags->name},
      format_option(flags->format, "text|json|csv|markdown"),
      {.names = {"-o", "--output"}, .argument = "OUT", .text = "Write the device file here", .target = &flags->output}};
  command.run = [flags, &context] { run_calibrate(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
