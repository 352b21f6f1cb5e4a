#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/calibrate/measurements.h"
#include "lib/calibrate/parameter_fit.h"
#include "lib/cli/subjects.h"
#include "lib/hardware/write_device.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  PredictFlags predict;
  std::string measurements;
  std::vector<std::string> parameters;
  std::vector<std::string> where;
  double floor_seconds = 0;
  std::string dumps;
  std::string name;
  std::string output;
};

// "sku=v5e" as a column and its value; empty names for what is no such pair.
std::pair<std::string, std::string> column_and_value(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string errors_line(const char* part, std::size_t count, FitError before, FitError after) {
  return absl::StrFormat("  %-10s %5d  median %5.1f %% -> %5.1f %%   p90 %5.1f %% -> %5.1f %%\n", part,
                         static_cast<int>(count), 100 * before.median, 100 * after.median, 100 * before.p90,
                         100 * after.p90);
}

void run(const Flags& flags, Context& context) {
  absl::StatusOr<Device> loaded = load_one_device(flags.predict);
  if (!loaded.ok()) return context.fail(loaded.status());
  Device device = *std::move(loaded);
  const absl::StatusOr<std::vector<Setting>> settings = parse_settings(flags.predict.set);
  if (!settings.ok()) return context.fail(settings.status());
  const absl::StatusOr<std::vector<Point>> points = points_of(*settings, device);
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
  const auto fitted = fit_parameters(device, split.fitted, paths, source);
  if (!fitted.ok()) return context.fail(fitted.status());

  context.out << device.name << ", " << measurements->size() << " measurements\n\n";
  for (const FittedParameter& p : *fitted) {
    context.out << absl::StrFormat("  %-30s %12.4g -> %-12.4g %s\n", p.path, p.before, p.after, p.unit);
  }
  context.out << "\n|predicted / measured - 1|\n"
              << errors_line("fitted", split.fitted.size(), fit_error(split.fitted, before),
                             fit_error(split.fitted, device))
              << errors_line("held back", split.held_back.size(), fit_error(split.held_back, before),
                             fit_error(split.held_back, device));
  if (flags.output.empty()) return;
  const std::string name = flags.name.empty() ? base + "_calibrated" : flags.name;
  const auto text = write_device_file(device, base, name, device.display_name + ", calibrated");
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) return context.fail(status);
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("calibrate", "Fit a device's efficiencies to measured matmuls");
  auto flags = std::make_shared<Flags>();
  add_device_flag(*command, flags->predict);
  command->add_option("--measurements", flags->measurements, "m, n, k, dtype and seconds (or median_s)")
      ->required()
      ->type_name("CSV");
  add_list(*command, "--parameters", flags->parameters, "PARAMETER,...", "What to fit, as `devices show` names it");
  add_list(*command, "--set", flags->predict.set, "PARAMETER=NUMBER", "Hold a parameter at a value; may be repeated");
  add_list(*command, "--where", flags->where, "COLUMN=VALUE", "Only rows with this value; may be repeated");
  command
      ->add_option("--floor", flags->floor_seconds, "Seconds of launch in every time; rows below twice it are left out")
      ->type_name("SECONDS");
  command->add_option("--dumps", flags->dumps, "Folder of the dumps that a column hlo names")->type_name("FOLDER");
  command->add_option("--name", flags->name, "Name of the new device")->type_name("NAME");
  command->add_option("-o,--output", flags->output, "Write the device file here")->type_name("OUT");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
