// `completion` and `man` print what an installation puts into the standard folders.
#include <memory>

#include "lib/fronts/cli/command_help.h"
#include "lib/fronts/cli/context.h"

namespace hloroof::internal::inline cli {

Command completion_command(const Command& top, Context& context) {
  auto shell = std::make_shared<std::string>();
  Command command{.name = "completion", .text = "Prints the script that completes this command in a shell"};
  command.positionals = {{.names = {"SHELL"},
                          .argument = "bash|zsh|fish",
                          .text = "bash, zsh or fish",
                          .target = shell.get(),
                          .required = true}};
  command.run = [shell, &top, &context] { context.out << completion_script(top, *shell); };
  return command;
}

Command man_command(const Command& top, Context& context) {
  Command command{.name = "man", .text = "Prints the manual page as roff: hloroof man | man -l -"};
  command.run = [&top, &context] { context.out << man_page(top); };
  return command;
}

}  // namespace hloroof::internal::inline cli
