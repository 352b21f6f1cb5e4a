#include "lib/cli/command_help.h"

#include <algorithm>

#include "hloroof/device.h"
#include "lib/predict/diagnostics.h"
#include "lib/report/table.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 26;

// "  heading      text". The text has its own column and starts on the next line if the heading is long.
std::string two_columns(const std::string& heading, std::string_view text) {
  std::string out = "  " + heading;
  if (out.size() + 2 > kTextColumn) {
    out += '\n';
    out.append(kTextColumn, ' ');
  } else {
    out.append(kTextColumn - out.size(), ' ');
  }
  return out + wrap(text, kWidth, kTextColumn) + "\n";
}

std::string without_list_mark(std::string_view argument) {
  return std::string(is_comma_list(argument) ? argument.substr(0, argument.size() - 4) : argument);
}

}  // namespace

std::string usage_line(const Command& command) {
  std::string out = command.path;
  if (!command.options.empty()) out += " [OPTIONS]";
  for (const Option& positional : command.positionals) {
    out += " " + positional.names.front() + (positional.repeats() ? "..." : "");
  }
  if (!command.subcommands.empty()) out += " COMMAND";
  return out;
}

std::string option_heading(const Option& option) {
  std::string out;
  for (const std::string& name : option.names) out += (out.empty() ? "" : ",") + name;
  if (!option.argument.empty()) out += " " + option.argument;
  return out;
}

std::string help_text(const Command& command, std::string_view footer) {
  std::string out = wrap(command.text, kWidth, 0) + "\nUsage: " + usage_line(command) + "\n";
  if (!command.positionals.empty()) {
    out += "\nPositionals:\n";
    for (const Option& option : command.positionals) {
      out += two_columns(option.names.front() + (option.repeats() ? "..." : ""), option.text);
    }
  }
  std::vector<std::string> groups;
  for (const Option& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    if (group.empty()) continue;
    out += "\n" + group + ":\n";
    for (const Option& option : command.options) {
      if (option.group != group) continue;
      out += two_columns(option_heading(option), option.required ? "required; " + option.text : option.text);
    }
  }
  if (!command.subcommands.empty()) {
    out += "\nCommands:\n";
    for (const Command& subcommand : command.subcommands) out += two_columns(subcommand.name, subcommand.text);
  }
  if (footer.empty()) return out;
  out += '\n';
  while (!footer.empty()) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    out += wrap(footer.substr(0, end), kWidth, 2) + "\n";
    footer.remove_prefix(std::min(end + 1, footer.size()));
  }
  return out;
}

std::vector<std::string> argument_values(std::string_view argument) {
  const std::string kind = without_list_mark(argument);
  if (kind == "DEVICE") return device_names();
  if (kind == "VIEW") return view_names();
  if (kind == "CODE") {
    std::vector<std::string> codes;
    for (const DiagnosisKind& diagnosis : diagnosis_kinds()) codes.emplace_back(diagnosis.name);
    return codes;
  }
  return choices_of(kind);
}

}  // namespace hloroof::internal
