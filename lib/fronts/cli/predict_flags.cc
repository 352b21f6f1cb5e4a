// The options of a prediction, and how their values are read.
#include "lib/fronts/cli/predict_flags.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "lib/base/strings.h"
#include "lib/fronts/cli/kernel_lists.h"

namespace hloroof::internal {
namespace {

// Splits `text` at each separator. An empty text has one empty part.
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

// Splits NAME=VALUE at the last '='. A leading % is part of the printed form and not of the name.
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

Option limit_option(std::size_t& limit, const std::string& what) {
  return {.names = {"-n"}, .argument = "N", .text = "Print at most N " + what + "; 0 prints all", .target = &limit};
}

Option wide_option(bool& wide) {
  return {.names = {"-w", "--wide"}, .text = "Do not fit lines to the terminal", .target = &wide};
}

Option format_option(std::string& format, const std::string& choices, const std::string& remark) {
  return {.names = {"--format"},
          .argument = choices,
          .text = "Output format" + (remark.empty() ? "" : ": " + remark),
          .target = &format};
}

Option output_option(std::string& path) {
  return {.names = {"-o", "--output"}, .argument = "OUT", .text = "Write to this file", .target = &path};
}

Option files_argument(std::vector<std::string>& files) {
  return {.names = {"FILE"}, .text = "HLO text: files, - or dump folders", .target = &files, .required = true};
}

Option device_option(PredictFlags& flags) {
  return {.names = {"--device"},
          .argument = "DEVICE,...",
          .text = "Name of a device, such as tpu_v5e or tpu_v5p:4x4x8*2, or path of a device file",
          .target = &flags.devices};
}

Option set_option(PredictFlags& flags) {
  return {.names = {"--set"},
          .argument = "PARAMETER=NUMBER",
          .text =
              "Override a number of the device, in SI units (hbm.bandwidth=1.2e12) or as a multiple of its value "
              "(hbm.bandwidth=2x); may be repeated",
          .target = &flags.set,
          .group = "Machine"};
}

Option strict_option(PredictFlags& flags) {
  return {.names = {"--strict"},
          .text = "Exit with 2 if anything is unknown",
          .target = &flags.strict,
          .group = "Program",
          .rare = true};
}

Option jobs_option(PredictFlags& flags) {
  return {.names = {"-j", "--jobs"},
          .argument = "N",
          .text = "Number of threads for several files, devices or values; default: one for each processor",
          .target = &flags.jobs};
}

std::vector<Option> work_options(PredictFlags& flags) {
  const std::string group = "Program";
  return {
      {.names = {"--trip-count"},
       .argument = "NAME=N",
       .text = "Trip count of the loop NAME; may be repeated",
       .target = &flags.trip_counts,
       .group = group},
      {.names = {"--default-trip-count"},
       .argument = "N",
       .text = "Trip count of loops whose trip count is neither inferred nor set",
       .target = &flags.default_trip_count,
       .group = group,
       .rare = true},
      {.names = {"--custom-call"},
       .argument = "TARGET=flops:N,bytes:N",
       .text = "Work of custom calls, selected by target, name or /RE2/; may be repeated",
       .target = &flags.custom_calls,
       .group = group,
       .rare = true},
      {.names = {"--kernel"},
       .argument = "NAME.OPERAND=VALUES",
       .text = "Contents of a list that the Pallas kernel NAME reads: of operand number OPERAND or of group_sizes, as "
               "[1,2,3], as 4x128 (four times 128) or as a file with a JSON list; may be repeated",
       .target = &flags.kernel_lists,
       .group = group,
       .rare = true},
      {.names = {"--branch-probability"},
       .argument = "NAME=P,P",
       .text = "Probability of each branch of the conditional NAME; may be repeated",
       .target = &flags.branch_probabilities,
       .group = group,
       .rare = true}};
}

std::string given_work_option(const PredictFlags& flags) {
  if (!flags.trip_counts.empty()) return "--trip-count";
  if (flags.default_trip_count != PredictFlags().default_trip_count) return "--default-trip-count";
  if (!flags.custom_calls.empty()) return "--custom-call";
  if (!flags.kernel_lists.empty()) return "--kernel";
  if (!flags.branch_probabilities.empty()) return "--branch-probability";
  return "";
}

std::vector<Option> prediction_options(PredictFlags& flags) {
  const std::string group = "Machine";
  std::vector<Option> options = {
      device_option(flags),
      {.names = {"--topology"},
       .argument = "T,...",
       .text = "Chips along each axis, such as 4x4 or 4x4x8_twisted; default: the smallest that fits",
       .target = &flags.topologies,
       .group = group},
      set_option(flags),
      {.names = {"--slices"},
       .argument = "N",
       .text = "Number of slices: confirms that of the text, or runs a copy of the program of one slice on each",
       .target = &flags.slices,
       .group = group,
       .least = 1,
       .rare = true},
      {.names = {"--partitions"},
       .argument = "N",
       .text = "Number of partitions of a text that does not state num_partitions, such as a proto",
       .target = &flags.partitions,
       .group = group,
       .least = 1,
       .rare = true},
      {.names = {"--estimates"},
       .argument = "model|compiler",
       .text = "Take op times from the model, or from the compiler's estimates where the dump has them",
       .target = &flags.estimates,
       .group = group,
       .rare = true}};
  append(options, work_options(flags));
  options.push_back(strict_option(flags));
  append(options, as_rare(mesh_options(flags)));
  return options;
}

absl::StatusOr<PredictOptions> predict_options(const PredictFlags& flags) {
  PredictOptions options;
  if (flags.topologies.size() == 1) options.topology = flags.topologies.front();
  if (flags.slices != 0) options.slices = flags.slices;
  if (flags.partitions != 0) options.partitions = flags.partitions;
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
  for (const std::string& text : flags.kernel_lists) {
    absl::StatusOr<KernelList> list = parse_kernel_list(text);
    if (!list.ok()) return list.status();
    options.kernel_lists.push_back(*std::move(list));
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

}  // namespace hloroof::internal
