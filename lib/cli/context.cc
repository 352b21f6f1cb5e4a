#include "lib/cli/context.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "lib/base/strings.h"

namespace hloroof::inline v0 {
namespace {

// The parts of `text` between separators; one empty part for an empty text.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Splits NAME=VALUE at the last '='. A leading % of a name belongs to the printed form, not to the name.
std::optional<std::pair<std::string, std::string>> name_and_value(std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
  std::string_view name = text.substr(0, at);
  if (name.size() > 1 && name[0] == '%') name.remove_prefix(1);
  return std::make_pair(std::string(name), std::string(text.substr(at + 1)));
}

absl::Status malformed(std::string_view option, const std::string& text, std::string_view expected) {
  return invalid_argument("--" + std::string(option) + " " + text + ": expected " + std::string(expected));
}

absl::StatusOr<CustomCallCost> parse_custom_call(const std::string& text) {
  constexpr std::string_view kExpected = "TARGET=flops:N,bytes:N,transcendentals:N,seconds:N (any of them)";
  const auto parts = name_and_value(text);
  if (!parts) return malformed("custom-call", text, kExpected);
  CustomCallCost cost;
  cost.target = parts->first;
  for (const std::string& field : split(parts->second, ',')) {
    const std::size_t colon = field.find(':');
    const std::optional<double> value =
        colon == std::string::npos ? std::nullopt : parse_number<double>(std::string_view(field).substr(colon + 1));
    if (!value || !(*value >= 0)) return malformed("custom-call", text, kExpected);
    const std::string name = field.substr(0, colon);
    if (name == "flops") {
      cost.flops = value;
    } else if (name == "bytes") {
      cost.bytes = value;
    } else if (name == "transcendentals") {
      cost.transcendentals = value;
    } else if (name == "seconds") {
      cost.seconds = value;
    } else {
      return malformed("custom-call", text, kExpected);
    }
  }
  return cost;
}

}  // namespace

void Context::fail(const absl::Status& status, int code) {
  const std::string message(status.message());
  const bool has_place = message.find(": error: ") != std::string::npos;
  err << (has_place ? "" : "hloroof: ") << message << (message.empty() || message.back() != '\n' ? "\n" : "");
  exit_code = code;
}

void add_device_flag(CLI::App& command, PredictFlags& flags) {
  command.add_option("--device", flags.devices, "Device name, e.g. tpu_v5e, tpu_v5p:4x4x8*2, or a device file")
      ->delimiter(',')
      ->type_name("D");
}

void add_work_flags(CLI::App& command, PredictFlags& flags) {
  command.add_option("--trip-count", flags.trip_counts, "How often the loop NAME runs; may be repeated")
      ->type_name("NAME=N");
  command.add_option("--default-trip-count", flags.default_trip_count, "Of loops neither inferred nor given")
      ->type_name("N");
  command.add_option("--custom-call", flags.custom_calls, "Work of custom calls to TARGET, or /RE2/; may be repeated")
      ->type_name("TARGET=flops:N,bytes:N");
  command
      .add_option("--branch-probability", flags.branch_probabilities,
                  "Of the branches of conditional NAME; may be repeated")
      ->type_name("NAME=P,P...");
  command.add_flag("--strict", flags.strict, "Exit with 2 if anything is not known");
}

void add_predict_flags(CLI::App& command, PredictFlags& flags) {
  add_device_flag(command, flags);
  command.add_option("--topology", flags.topology, "Chips along each axis, e.g. 4x4; default: the smallest that fits")
      ->type_name("T");
  command.add_option("--slices", flags.slices, "Number of slices")->type_name("N");
  command
      .add_option("--estimates", flags.estimates, "model, or compiler: the estimates the dump carries, where it does")
      ->type_name("model|compiler");
  add_work_flags(command, flags);
  command.add_option("--set", flags.set, "Changes one number of the device, SI units; may be repeated")
      ->type_name("hbm.bandwidth=1.2e12");
  add_mesh_flags(command, flags);
}

absl::StatusOr<PredictOptions> predict_options(const PredictFlags& flags) {
  PredictOptions options;
  if (!flags.topology.empty()) options.topology = flags.topology;
  if (flags.slices != 0) options.slices = flags.slices;
  if (flags.estimates == "compiler") {
    options.estimates = EstimateSource::kCompiler;
  } else if (flags.estimates != "model") {
    return malformed("estimates", flags.estimates, "model or compiler");
  }
  for (const std::string& text : flags.trip_counts) {
    const auto parts = name_and_value(text);
    const std::optional<std::int64_t> trips = parts ? parse_number<std::int64_t>(parts->second) : std::nullopt;
    if (!trips) return malformed("trip-count", text, "NAME=N");
    options.trip_counts[parts->first] = *trips;
  }
  options.default_trip_count = flags.default_trip_count;
  for (const std::string& text : flags.custom_calls) {
    absl::StatusOr<CustomCallCost> cost = parse_custom_call(text);
    if (!cost.ok()) return cost.status();
    options.custom_calls.push_back(*std::move(cost));
  }
  for (const std::string& text : flags.branch_probabilities) {
    const auto parts = name_and_value(text);
    if (!parts) return malformed("branch-probability", text, "NAME=P,P...");
    std::vector<double>& probabilities = options.branch_probabilities[parts->first];
    for (const std::string& p : split(parts->second, ',')) {
      const std::optional<double> value = parse_number<double>(p);
      if (!value) return malformed("branch-probability", text, "NAME=P,P...");
      probabilities.push_back(*value);
    }
  }
  for (const std::string& text : flags.set) {
    const auto parts = name_and_value(text);
    const std::optional<double> value = parts ? parse_number<double>(parts->second) : std::nullopt;
    if (!value) return malformed("set", text, "PARAMETER=NUMBER; `hloroof devices show` lists the parameters");
    options.set.emplace_back(parts->first, *value);
  }
  if (absl::Status status = read_mesh_flags(flags, options); !status.ok()) return status;
  options.strict = flags.strict;
  return options;
}

absl::StatusOr<std::vector<Device>> load_devices(const PredictFlags& flags) {
  std::vector<Device> devices;
  for (const std::string& name : flags.devices) {
    const bool is_path = name.find('/') != std::string::npos || (name.size() > 5 && name.ends_with(".json"));
    absl::StatusOr<Device> device = is_path ? load_device(name) : find_device(name);
    if (!device.ok()) return device.status();
    devices.push_back(*std::move(device));
  }
  if (devices.empty()) {
    std::string message = "--device is missing; the devices are";
    std::size_t column = 80;
    for (const std::string& name : device_names()) {
      if (column + 1 + name.size() > 78) {
        message += "\n ";
        column = 1;
      }
      message += " " + name;
      column += 1 + name.size();
    }
    return invalid_argument(message);
  }
  return devices;
}

absl::StatusOr<Device> load_one_device(const PredictFlags& flags) {
  absl::StatusOr<std::vector<Device>> devices = load_devices(flags);
  if (!devices.ok()) return devices.status();
  if (devices->size() != 1) return invalid_argument("this command takes one device");
  return std::move(devices->front());
}

absl::StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    std::vector<std::string> saved;  // by a user, under a name of their own
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      std::string stem = it->path().filename().string();
      if (stem.ends_with(".gz")) stem.resize(stem.size() - 3);
      for (std::string_view extension : {".txt", ".hlo"}) {
        if (stem.ends_with(extension)) {
          stem.resize(stem.size() - extension.size());
          if (stem.ends_with("after_optimizations")) {
            found.push_back(it->path().string());
          } else if (extension == ".hlo") {
            saved.push_back(it->path().string());
          }
          break;
        }
      }
    }
    if (error) return not_found("can not read the folder " + path + ": " + error.message());
    if (found.empty()) found = std::move(saved);
    if (found.empty()) return not_found("no module named *after_optimizations.txt or *.hlo in the folder " + path);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

absl::Status write_output(Context& context, const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    context.out << text << std::flush;
    return context.out ? absl::OkStatus() : absl::DataLossError("can not write the result");
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::PermissionDeniedError("can not write " + path + ": " + std::strerror(errno));
  return absl::OkStatus();
}

}  // namespace hloroof::inline v0
