// `completion` and `man`: what an installation puts into the standard folders, made from the parser's own tree.
#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/command_help.h"
#include "lib/cli/context.h"
#include "lib/cli/predict_flags.h"

namespace hloroof::inline v0 {

void add_completion(CLI::App& app, Context& context) {
  CLI::App* completion = app.add_subcommand("completion", "The script that completes this command in a shell");
  auto shell = std::make_shared<std::string>();
  add_choice(*completion, "SHELL", *shell, "bash|zsh|fish", "bash, zsh or fish")->required();
  completion->callback([shell, &app, &context] { context.out << completion_script(describe_command(app), *shell); });
  CLI::App* man = app.add_subcommand("man", "The manual page, as roff: hloroof man | man -l -");
  man->callback([&app, &context] { context.out << man_page(describe_command(app)); });
}

}  // namespace hloroof::inline v0
