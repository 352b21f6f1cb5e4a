#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/str_format.h"
#include "lib/calibrate/measurements.h"
#include "lib/calibrate/parameter_fit.h"
#include "lib/cli/context.h"
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
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  for (const auto& [path, value] : options->set) {
    if (absl::Status status = set_parameter(device, path, value); !status.ok()) return context.fail(status);
  }
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
  command->add_option("--measurements", flags->measurements, "CSV: m, n, k, dtype and seconds (or median_s)")
      ->required();
  command->add_option("--parameters", flags->parameters, "What to fit, as `devices show` names it")->delimiter(',');
  command->add_option("--set", flags->predict.set, "Hold a parameter at a value: NAME=VALUE");
  command->add_option("--where", flags->where, "Only rows with this value: COLUMN=VALUE");
  command
      ->add_option("--floor", flags->floor_seconds, "Seconds of launch in every time; rows below twice it are left out")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--dumps", flags->dumps, "Folder of the dumps that a column hlo names");
  command->add_option("--name", flags->name, "Name of the new device");
  command->add_option("-o,--output", flags->output, "Write the device file here");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
