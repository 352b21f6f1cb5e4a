#include "lib/fronts/cli/command_help.h"

#include <algorithm>

#include "hloroof/device.h"
#include "lib/describe/table.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/report/views.h"

namespace hloroof::internal::inline cli {
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

namespace {

// Returns the options of each group, in the order of the groups' first options. Groups without a name are hidden.
std::string option_groups(const Command& command, HelpExtent extent) {
  const auto is_shown = [extent](const Option& option) {
    return !option.group.empty() && (extent == HelpExtent::kAll || !option.rare);
  };
  std::vector<std::string> groups;
  for (const Option& option : command.options) {
    if (is_shown(option) && std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  std::string out;
  for (const std::string& group : groups) {
    out += "\n" + group + ":\n";
    for (const Option& option : command.options) {
      if (option.group != group || !is_shown(option)) continue;
      out += two_columns(option_heading(option), option.required ? "required; " + option.text : option.text);
    }
  }
  return out;
}

// Says that --help leaves out options, and names the first.
std::string rare_options_line(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    if (option.rare && option.names.back() != "--help-all") names.push_back(option.names.back());
  }
  return "`" + command.path + " --help-all` adds " + std::to_string(names.size()) + " rare option" +
         (names.size() == 1 ? " (" : "s, such as ") + names.front() + (names.size() == 1 ? ").\n" : ".\n");
}

}  // namespace

std::string help_text(const Command& command, std::string_view footer, HelpExtent extent) {
  std::string out = wrap(command.text, kWidth, 0) + "\nUsage: " + usage_line(command) + "\n";
  if (!command.positionals.empty()) {
    out += "\nPositionals:\n";
    for (const Option& option : command.positionals) {
      out += two_columns(option.names.front() + (option.repeats() ? "..." : ""), option.text);
    }
  }
  out += option_groups(command, extent);
  if (!command.subcommands.empty()) {
    out += "\nCommands:\n";
    for (const Command& subcommand : command.subcommands) out += two_columns(subcommand.name, subcommand.text);
  }
  const bool is_short = extent == HelpExtent::kCommon && has_rare_options(command);
  if (is_short) return out + "\n" + rare_options_line(command);
  if (!footer.empty()) out += '\n';
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

}  // namespace hloroof::internal::inline cli
