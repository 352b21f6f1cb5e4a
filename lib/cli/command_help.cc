#include "lib/cli/command_help.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "hloroof/device.h"
#include "lib/predict/diagnostics.h"
#include "lib/report/table.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 26;

OptionHelp describe_option(const CLI::Option& option) {
  OptionHelp help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  if (help.names.empty()) help.names.push_back(option.get_name(/*positional=*/true));
  if (option.get_items_expected_max() != 0) help.argument = option.get_type_name();
  help.text = option.get_description();
  help.group = option.get_group();
  help.required = option.get_required();
  help.repeats = option.get_items_expected_max() > 1;
  return help;
}

CommandHelp describe_one(const CLI::App& app, const std::string& parent) {
  CommandHelp help;
  help.name = app.get_name();
  help.path = parent.empty() ? help.name : parent + " " + help.name;
  help.text = app.get_description();
  for (const CLI::Option* option : app.get_options({})) {
    (option->get_positional() ? help.positionals : help.options).push_back(describe_option(*option));
  }
  return help;
}

// "  heading      text", the text in a column of its own, below the heading where that is long.
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

CommandHelp describe_command(const CLI::App& app) {
  CommandHelp help = describe_one(app, "");
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    help.subcommands.push_back(describe_one(*command, help.path));
    for (const CLI::App* inner : command->get_subcommands([](const CLI::App*) { return true; })) {
      help.subcommands.back().subcommands.push_back(describe_one(*inner, help.subcommands.back().path));
    }
  }
  return help;
}

std::string usage_line(const CommandHelp& command) {
  std::string out = command.path;
  if (!command.options.empty()) out += " [OPTIONS]";
  for (const OptionHelp& positional : command.positionals) {
    out += " " + positional.names.front() + (positional.repeats ? "..." : "");
  }
  if (!command.subcommands.empty()) out += " COMMAND";
  return out;
}

std::string option_heading(const OptionHelp& option) {
  std::string out;
  for (const std::string& name : option.names) out += (out.empty() ? "" : ",") + name;
  if (!option.argument.empty()) out += " " + option.argument;
  return out;
}

std::string help_text(const CommandHelp& command, std::string_view footer) {
  std::string out = wrap(command.text, kWidth, 0) + "\nUsage: " + usage_line(command) + "\n";
  if (!command.positionals.empty()) {
    out += "\nPositionals:\n";
    for (const OptionHelp& option : command.positionals) {
      out += two_columns(option.names.front() + (option.repeats ? "..." : ""), option.text);
    }
  }
  std::vector<std::string> groups;
  for (const OptionHelp& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string& group : groups) {
    if (group.empty()) continue;
    out += "\n" + group + ":\n";
    for (const OptionHelp& option : command.options) {
      if (option.group != group) continue;
      out += two_columns(option_heading(option), option.required ? "required; " + option.text : option.text);
    }
  }
  if (!command.subcommands.empty()) {
    out += "\nCommands:\n";
    for (const CommandHelp& subcommand : command.subcommands) out += two_columns(subcommand.name, subcommand.text);
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

bool is_comma_list(std::string_view argument) { return argument.ends_with(",..."); }

std::vector<std::string> argument_values(std::string_view argument) {
  const std::string kind = without_list_mark(argument);
  if (kind == "DEVICE") return device_names();
  if (kind == "VIEW") return view_names();
  if (kind == "CODE") {
    std::vector<std::string> codes;
    for (const DiagnosisKind& diagnosis : diagnosis_kinds()) codes.emplace_back(diagnosis.code);
    return codes;
  }
  std::vector<std::string> values(1);
  for (char c : kind) {
    if (c == '|') {
      values.emplace_back();
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-') {
      values.back() += c;
    } else {
      return {};
    }
  }
  return values.size() > 1 ? values : std::vector<std::string>();
}

}  // namespace hloroof::inline v0
