#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/calibrate/measurements.h"
#include "lib/calibrate/parameter_fit.h"
#include "lib/calibrate/profile_measurements.h"
#include "lib/fronts/cli/calibration_report.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/hardware/settings.h"
#include "lib/hardware/write_device.h"
#include "lib/measured/profiled_program.h"
#include "lib/profile/profile_folder.h"

namespace hloroof::internal::inline cli {
namespace {

struct CalibrateFlags {
  Request predict;
  std::string measurements;
  std::string profile;
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

// What numbers are fitted to, and the numbers.
struct Evidence {
  std::vector<Measurement> measurements;
  std::vector<std::string> parameters;
  std::string option;  // that the result names as its source
};

absl::StatusOr<Evidence> table_evidence(const CalibrateFlags& flags, const Device& device) {
  MeasurementOptions reading;
  reading.floor_seconds = flags.floor_seconds;
  reading.dump_root = flags.dumps;
  reading.where.reserve(flags.where.size());
  for (const std::string& where : flags.where) {
    reading.where.push_back(column_and_value(where));
    if (reading.where.back().first.empty()) {
      return absl::InvalidArgumentError("--where takes COLUMN=VALUE, not '" + where + "'");
    }
  }
  absl::StatusOr<std::vector<Measurement>> measurements = read_measurements(flags.measurements, reading);
  if (!measurements.ok()) return measurements.status();
  return Evidence{*std::move(measurements), flags.parameters.empty() ? matmul_parameters(device) : flags.parameters,
                  "--measurements " + flags.measurements.substr(flags.measurements.rfind('/') + 1)};
}

absl::StatusOr<Evidence> profile_evidence(const CalibrateFlags& flags, const MeasuredProfile& profile,
                                          const Device& device, Context& context) {
  const absl::StatusOr<Module> module = module_in_profile(profile, flags.profile, context);
  if (!module.ok()) return module.status();
  const MeasuredProgram& program = longest_program(profile);
  absl::StatusOr<std::vector<Measurement>> measurements = profile_measurements(*module, program);
  if (!measurements.ok()) return measurements.status();
  absl::StatusOr<std::vector<std::string>> parameters = flags.parameters;
  if (flags.parameters.empty()) parameters = program_parameters(device, split_in_two(*measurements).fitted);
  if (!parameters.ok()) return parameters.status();
  return Evidence{*std::move(measurements), *std::move(parameters),
                  "--profile " + (profile.run.empty() ? program.name : profile.run)};
}

// The built-in file that the fitted one extends: the device that was fitted, or what its file extends.
absl::StatusOr<std::string> base_of(const CalibrateFlags& flags, const std::string& device) {
  const bool is_built_in = flags.predict.devices.empty() || find_device(device).ok();
  return is_built_in ? absl::StatusOr<std::string>(device) : extended_by(flags.predict.devices.front());
}

// Returns the device of --device, or else that of the profile, with the values of --set.
absl::StatusOr<Device> device_to_fit(Request flags, const MeasuredProfile* profile) {
  if (flags.devices.empty() && profile != nullptr) {
    const absl::StatusOr<std::string> name = profiled_device(*profile);
    if (!name.ok()) return name.status();
    flags.devices = {*name};
  }
  absl::StatusOr<Target> target = find_one_target(flags);
  if (!target.ok()) return target.status();
  Device device = std::move(target->device);
  const absl::StatusOr<std::vector<Setting>> settings = parse_settings(flags.settings(), kSetOption);
  if (!settings.ok()) return settings.status();
  const absl::StatusOr<std::vector<Point>> points = points_of(*settings, device, kSetOption);
  if (!points.ok()) return points.status();
  if (points->size() != 1) return invalid_argument("--set: one value for each parameter");
  for (const auto& [path, value] : points->front()) {
    if (absl::Status status = set_parameter(device, path, value); !status.ok()) return status;
  }
  return device;
}

// What to say if the fit does not carry over to what it did not see; empty if it does.
std::string worse_on_held_back(const CalibrationErrors& held_back) {
  if (held_back.after.median <= held_back.before.median) return "";
  return absl::StrCat("the fitted numbers predict the ", held_back.measurements,
                      " measurements held back worse than those before: median error ",
                      format_percent(held_back.after.median), " instead of ", format_percent(held_back.before.median),
                      ". Fit to more of them, or fit fewer numbers (--parameters)");
}

void run_calibrate(const CalibrateFlags& flags, Context& context) {
  if (!(flags.floor_seconds >= 0)) return context.fail(invalid_argument("--floor: expected seconds from 0"));
  if (flags.measurements.empty() == flags.profile.empty()) {
    return context.fail(invalid_argument("calibrate takes either --measurements or --profile"));
  }
  std::optional<MeasuredProfile> profile;
  if (!flags.profile.empty()) {
    absl::StatusOr<MeasuredProfile> loaded = load_profile(flags.profile, context.max_bytes);
    if (!loaded.ok()) return context.fail(loaded.status());
    profile = *std::move(loaded);
  }
  absl::StatusOr<Device> found = device_to_fit(flags.predict, profile ? &*profile : nullptr);
  if (!found.ok()) return context.fail(found.status());
  Device device = *std::move(found);
  const absl::StatusOr<Evidence> evidence =
      profile ? profile_evidence(flags, *profile, device, context) : table_evidence(flags, device);
  if (!evidence.ok()) return context.fail(evidence.status());
  const Split split = split_in_two(evidence->measurements);
  const Device before = device;
  const std::string base = device.name.substr(0, device.name.find('@'));  // a device file names no network
  const ParameterSource source{Provenance::kFitted, "hloroof calibrate --device " + base + " " + evidence->option, ""};
  auto fitted = fit_parameters(device, split.fitted, evidence->parameters, source);
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
  context.note(profile ? flags.profile : flags.measurements, worse_on_held_back(report.errors.back()));
  if (flags.output.empty()) return;
  const std::string name = flags.name.empty() ? base + "_calibrated" : flags.name;
  const absl::StatusOr<std::string> extended = base_of(flags, base);
  if (!extended.ok()) return context.fail(extended.status());
  const auto text = write_device_file(device, *extended, name, device.display_name + ", calibrated");
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) return context.fail(status);
}

}  // namespace

Command calibrate_command(Context& context) {
  auto flags = std::make_shared<CalibrateFlags>();
  Command command{.name = "calibrate", .text = "Fits the efficiencies of a device to measured matmuls or to a profile"};
  command.options = {
      device_option(flags->predict),
      {.names = {"--measurements"},
       .argument = "CSV",
       .text = "Measured matmuls, with columns m, n, k, dtype and seconds (or median_s)",
       .target = &flags->measurements},
      {.names = {"--profile"},
       .argument = "FOLDER",
       .text = "The folder of jax.profiler.trace: fit to the ops of its longest program; every second one is held back",
       .target = &flags->profile},
      {.names = {"--parameters"},
       .argument = "PARAMETER,...",
       .text = "Parameters to fit, named as `devices show` prints them",
       .target = &flags->parameters},
      {.names = {"--set"},
       .argument = "PARAMETER=NUMBER",
       .text = "Override a parameter and do not fit it; may be repeated",
       .target = &flags->predict.values.texts(OptionId::kSet)},
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

}  // namespace hloroof::internal::inline cli
