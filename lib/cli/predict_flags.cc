// Options that say how to predict, and what they mean.
#include "lib/cli/predict_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>

#include "lib/base/strings.h"
#include "lib/cli/command_help.h"

namespace hloroof::inline v0 {
namespace {

// A table of more lines than this is nobody's to read, and every line is a prediction.
constexpr std::size_t kMaxPoints = 10'000;

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

// A check that CLI11 does not write into the help text.
CLI::Validator unnamed(std::function<std::string(std::string&)> check) { return CLI::Validator(std::move(check), ""); }

// "text, json or csv" of "text|json|csv".
std::string in_words(const std::vector<std::string>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return out;
}

// What reads a number without a sign takes "-1" for the largest there is, so that this is checked before.
CLI::Validator whole_number(const std::string& name, std::int64_t least) {
  return unnamed([name, least](const std::string& given) {
    const std::optional<std::int64_t> number = parse_number<std::int64_t>(given);
    if (number && *number >= least) return std::string();
    return name + " takes a whole number from " + std::to_string(least) + ", not '" + given + "'";
  });
}

}  // namespace

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value, std::string_view choices,
                        const std::string& text) {
  const std::vector<std::string> known = split(choices, '|');
  const std::string shown = name.substr(name.rfind(',') + 1);
  return command.add_option(name, value, text)
      ->type_name(std::string(choices))
      ->check(unnamed([known, shown](const std::string& given) {
        if (std::find(known.begin(), known.end(), given) != known.end()) return std::string();
        return shown + " takes " + in_words(known) + ", not '" + given + "'";
      }));
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& argument, const std::string& text) {
  CLI::Option* option = command.add_option(name, values, text)->type_name(argument)->allow_extra_args(false);
  if (is_comma_list(argument)) option->delimiter(',');
  return option;
}

CLI::Option* add_limit(CLI::App& command, std::size_t& limit, const std::string& what) {
  return command.add_option("-n", limit, what + " before [N others]; 0: all")
      ->type_name("N")
      ->check(whole_number("-n", 0));
}

CLI::Option* add_count(CLI::App& command, const std::string& name, std::int64_t& value, std::int64_t least,
                       const std::string& text) {
  return command.add_option(name, value, text)->type_name("N")->check(whole_number(name, least));
}

CLI::Option* add_wide(CLI::App& command, bool& wide) {
  return command.add_flag("-w,--wide", wide, "Do not cut lines to 80 characters");
}

CLI::Option* add_output(CLI::App& command, std::string& path) {
  return command.add_option("-o,--output", path, "Write to this file")->type_name("OUT");
}

CLI::Option* add_files(CLI::App& command, std::vector<std::string>& files) {
  return command.add_option("FILE", files, "HLO text: files, - or dump folders")->required();
}

void add_device_flag(CLI::App& command, PredictFlags& flags) {
  add_list(command, "--device", flags.devices, "DEVICE,...",
           "Device name, e.g. tpu_v5e, tpu_v5p:4x4x8*2, or a device file");
}

void add_work_flags(CLI::App& command, PredictFlags& flags) {
  constexpr const char* kGroup = "Program";
  add_list(command, "--trip-count", flags.trip_counts, "NAME=N", "How often the loop NAME runs; may be repeated")
      ->group(kGroup);
  add_count(command, "--default-trip-count", flags.default_trip_count, 0, "Of loops neither inferred nor given")
      ->group(kGroup);
  add_list(command, "--custom-call", flags.custom_calls, "TARGET=flops:N,bytes:N",
           "Work of custom calls by target or name, or /RE2/; may be repeated")
      ->group(kGroup);
  add_list(command, "--branch-probability", flags.branch_probabilities, "NAME=P,P",
           "Of the branches of conditional NAME; may be repeated")
      ->group(kGroup);
  command.add_flag("--strict", flags.strict, "Exit with 2 if anything is not known")->group(kGroup);
}

void add_predict_flags(CLI::App& command, PredictFlags& flags) {
  constexpr const char* kGroup = "Machine";
  add_device_flag(command, flags);
  command
      .add_option("--topology", flags.topology,
                  "Chips along each axis, e.g. 4x4 or 4x4x8_twisted; default: the smallest that fits")
      ->type_name("T")
      ->group(kGroup);
  add_count(command, "--slices", flags.slices, 1, "Number of slices")->group(kGroup);
  add_choice(command, "--estimates", flags.estimates, "model|compiler",
             "The model's own, or the estimates the dump carries, where it does")
      ->group(kGroup);
  add_list(command, "--set", flags.set, "PARAMETER=NUMBER",
           "Changes one number of the device, in SI units (hbm.bandwidth=1.2e12) or as a multiple of what it is "
           "(hbm.bandwidth=2x); may be repeated")
      ->group(kGroup);
  add_work_flags(command, flags);
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
  if (absl::Status status = read_mesh_flags(flags, options); !status.ok()) return status;
  options.strict = flags.strict;
  return options;
}

absl::StatusOr<std::vector<Setting>> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const auto parts = name_and_value(text);
    Setting setting;
    if (parts) {
      setting.parameter = parts->first;
      for (std::string part : split(parts->second, ',')) {
        Setting::Value value;
        value.is_multiple = part.size() > 1 && part.back() == 'x';
        if (value.is_multiple) part.pop_back();
        const std::optional<double> number = parse_number<double>(part);
        if (!number) {
          setting.values.clear();
          break;
        }
        value.number = *number;
        setting.values.push_back(value);
      }
    }
    if (setting.values.empty()) {
      return malformed("set", text,
                       "PARAMETER=NUMBER, or NUMBERx for a multiple, several separated by commas; `hloroof devices "
                       "show` lists the parameters");
    }
    for (const Setting& other : settings) {
      if (other.parameter == setting.parameter) {
        return invalid_argument("--set " + setting.parameter +
                                " is given twice; several values go into one: " + setting.parameter + "=1,2");
      }
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

absl::StatusOr<std::vector<Point>> points_of(const std::vector<Setting>& settings, const Device& device) {
  std::vector<Point> points(1);
  for (const Setting& setting : settings) {
    if (points.size() * setting.values.size() > kMaxPoints) {
      return invalid_argument("--set: more than " + std::to_string(kMaxPoints) + " combinations of values");
    }
    std::vector<double> numbers;
    for (const Setting::Value& value : setting.values) {
      double number = value.number;
      if (value.is_multiple) {
        Device copy = device;  // says of a name that it is none, with the nearest ones
        if (absl::Status status = set_parameter(copy, setting.parameter, 1); absl::IsNotFound(status)) return status;
        std::optional<double> base;
        for (const Parameter& parameter : parameters(device)) {
          if (parameter.path == setting.parameter) base = parameter.value;
        }
        if (!base) {
          return not_found("--set " + setting.parameter + ": " + device.name + " has no value to take a multiple of");
        }
        number *= *base;
      }
      numbers.push_back(number);
    }
    std::vector<Point> grown;
    for (const Point& point : points) {
      for (double number : numbers) {
        grown.push_back(point);
        grown.back().emplace_back(setting.parameter, number);
      }
    }
    points = std::move(grown);
  }
  return points;
}

}  // namespace hloroof::inline v0
