#include "lib/fronts/cli/command.h"

#include <algorithm>

namespace hloroof::internal::inline cli {
namespace {

void complete(Command& command, const std::string& parent) {
  command.path = parent.empty() ? command.name : parent + " " + command.name;
  const Option help{.names = {"-h", "--help"}, .text = "Print this help message and exit"};
  command.options.insert(command.options.begin(), help);
  if (has_rare_options(command)) {
    command.options.push_back({.names = {"--help-all"}, .text = "Print the rare options too and exit", .rare = true});
  }
  for (Command& subcommand : command.subcommands) complete(subcommand, command.path);
}

bool may_be_in_choice(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

}  // namespace

void complete_command(Command& command) { complete(command, ""); }

void append(std::vector<Option>& options, const std::vector<Option>& more) {
  options.insert(options.end(), more.begin(), more.end());
}

std::vector<Option> as_rare(std::vector<Option> options) {
  for (Option& option : options) option.rare = true;
  return options;
}

bool has_rare_options(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const Option& option) { return option.rare; });
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> subcommand_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& subcommand : command.subcommands) names.push_back(subcommand.name);
  return names;
}

std::vector<std::string> choices_of(std::string_view argument) {
  std::vector<std::string> choices(1);
  for (char c : argument) {
    if (c == '|') {
      choices.emplace_back();
    } else if (may_be_in_choice(c)) {
      choices.back() += c;
    } else {
      return {};
    }
  }
  return choices.size() > 1 ? choices : std::vector<std::string>();
}

bool is_comma_list(std::string_view argument) { return argument.ends_with(",..."); }

}  // namespace hloroof::internal::inline cli
