#include "lib/cli/command.h"

namespace hloroof::internal {
namespace {

void complete(Command& command, const std::string& parent) {
  command.path = parent.empty() ? command.name : parent + " " + command.name;
  const Option help{.names = {"-h", "--help"}, .text = "Print this help message and exit"};
  command.options.insert(command.options.begin(), help);
  for (Command& subcommand : command.subcommands) complete(subcommand, command.path);
}

bool may_be_in_choice(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; }

}  // namespace

void complete_command(Command& command) { complete(command, ""); }

void append(std::vector<Option>& options, const std::vector<Option>& more) {
  options.insert(options.end(), more.begin(), more.end());
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

}  // namespace hloroof::internal
