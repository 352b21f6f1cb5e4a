// The options that several commands share.
#include "lib/fronts/cli/common_options.h"

#include <variant>

namespace hloroof::internal::inline cli {

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
  return {.names = {"FILE"},
          .text = "HLO text: files, - or dump folders",
          .target = &files,
          .required = true,
          .reads = Reads::kFile};
}

Option device_option(Request& request) {
  return {.names = {"--device"},
          .argument = "DEVICE,...",
          .text = "Name of a device, such as tpu_v5e or tpu_v5p:4x4x8*2, or path of a device file",
          .target = &request.devices,
          .reads = Reads::kDevices};
}

Option option_of(OptionId id, Request& request) {
  const OptionRow& row = option_row(id);
  return {.names = {option_name(row, OptionNames::kFlags)},
          .argument = std::string(row.argument),
          .text = std::string(row.text),
          .target = std::visit([](auto& value) -> Option::Target { return &value; }, request.values[id]),
          .group = std::string(row.group),
          .least = row.least,
          .positive = row.form == OptionForm::kAmount,
          .rare = row.rare};
}

Option jobs_option(Request& request) {
  return {.names = {"-j", "--jobs"},
          .argument = "N",
          .text = "Number of threads for several files, devices or values; default: one for each processor",
          .target = &request.jobs};
}

std::vector<Option> work_options(Request& request) {
  std::vector<Option> options;
  for (const OptionRow& row : option_rows()) {
    if (row.is_work()) options.push_back(option_of(row.id, request));
  }
  return options;
}

std::string given_work_option(const Request& request) {
  for (const OptionRow& row : option_rows()) {
    if (row.is_work() && request.values.is_set(row.id)) return option_name(row, OptionNames::kFlags);
  }
  return "";
}

namespace {

Option power_option(Request& request) {
  return {.names = {"--power"},
          .argument = "WATTS",
          .text =
              "Power that one chip draws, for the energy of the step: short for --set power=WATTS; default: that of "
              "the device file, which bounds it",
          .target = &request.values.texts(OptionId::kSet),
          .group = "Machine",
          .positive = true,
          .rare = true,
          .stands_for = "power="};
}

}  // namespace

std::vector<Option> prediction_options(Request& request) {
  std::vector<Option> options = {device_option(request)};
  for (const OptionRow& row : option_rows()) {
    if (!row.flag.empty()) options.push_back(option_of(row.id, request));
    if (row.id == OptionId::kPrice) options.push_back(power_option(request));
  }
  return options;
}

absl::StatusOr<PredictOptions> predict_options(const Request& request) {
  PredictOptions options;
  absl::Status status = read_options(request.values, OptionNames::kFlags, nullptr, options);
  if (!status.ok()) return status;
  options.allow_other_backend = true;  // reports begin with the diagnostic
  return options;
}

}  // namespace hloroof::internal::inline cli
