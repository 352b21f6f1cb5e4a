#include "lib/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "absl/strings/str_join.h"
#include "hloroof/device.h"
#include "hloroof/version.h"
#include "lib/base/nearest.h"
#include "lib/base/sha256.h"
#include "lib/base/strings.h"
#include "lib/cli/command_help.h"
#include "lib/cli/context.h"

namespace hloroof::inline v0 {
namespace {

// --help from the same description as the man page. The parser asks with the innermost command named.
class Help : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
    const CLI::App* top = app;
    while (top->get_parent() != nullptr) top = top->get_parent();
    const CommandHelp all = describe_command(*top);
    const std::string footer = std::string(kExitCodes) + "\n" + std::string(kFileForms);
    if (app == top) return help_text(all, footer);
    for (const CommandHelp& command : all.subcommands) {
      if (app->get_parent() == top) {
        if (command.name == app->get_name()) return help_text(command, footer);
        continue;
      }
      for (const CommandHelp& inner : command.subcommands) {
        const bool is_parent = command.name == app->get_parent()->get_name();
        if (is_parent && inner.name == app->get_name()) return help_text(inner, "");
      }
    }
    return "";
  }
};

// The version, and what the numbers come from: two reports agree only if both are the same.
std::string version_text() {
  std::string hashes;
  for (const std::string& name : device_names()) {
    const absl::StatusOr<Device> device = find_device(name);
    if (device.ok()) hashes += device->file_sha256;
  }
  return "hloroof " HLOROOF_VERSION_STRING ", device files " + sha256_hex(hashes).substr(0, 12);
}

// The innermost command that the arguments got to.
const CLI::App& reached(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// What is wrong with the arguments, in one line, and what to do.
std::string message_of(const CLI::ParseError& error, const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App& command = reached(app);
  const CommandHelp all = describe_command(app);
  std::string path = app.get_name();
  if (&command != &app)
    path += " " + (command.get_parent() == &app ? "" : command.get_parent()->get_name() + " ") + command.get_name();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    for (const std::string& argument : arguments) {
      if (argument.size() < 2 || argument[0] != '-') continue;
      const std::string given = argument.substr(0, argument.find('='));
      std::vector<std::string> names;
      for (const CLI::Option* option : command.get_options({})) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
      }
      if (std::find(names.begin(), names.end(), given) != names.end()) continue;
      return path + " has no option " + given + "; the nearest are " +
             absl::StrJoin(nearest_names(given, names, 3), ", ") + ". `" + path + " --help` lists them";
    }
  }
  if (&command == &app && !arguments.empty() && arguments.front().size() > 1 && arguments.front()[0] == '-') {
    return path + " has no option " + arguments.front() + "; a subcommand comes first. `" + path +
           " --help` lists both";
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
      !command.get_subcommands([](const CLI::App*) { return true; }).empty()) {
    std::vector<std::string> names;
    for (const CLI::App* inner : command.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(inner->get_name());
    }
    const auto named = std::find(arguments.begin(), arguments.end(), command.get_name());
    if (named != arguments.end() && named + 1 != arguments.end() && (named + 1)->rfind('-', 0) != 0) {
      return path + " has no subcommand " + *(named + 1) + "; there are " + absl::StrJoin(names, ", ");
    }
    return "a subcommand is required: " + absl::StrJoin(names, ", ") + ". `" + path + " --help` says what each does";
  }
  std::string what = error.what();
  // A check of our own names the option itself: "-n: -n takes ...".
  const std::size_t colon = what.find(": ");
  if (colon != std::string::npos && what.compare(colon + 2, colon, what, 0, colon) == 0) what.erase(0, colon + 2);
  // "Could not convert: --imbalance = x"
  const std::string unread = "Could not convert: ";
  if (const std::size_t equals = what.find(" = "); what.rfind(unread, 0) == 0 && equals != std::string::npos) {
    what =
        what.substr(unread.size(), equals - unread.size()) + " takes a number, not '" + what.substr(equals + 3) + "'";
  }
  return what + ". `" + path + " --help` lists the options";
}

}  // namespace

int run_cli(const std::vector<std::string>& given, std::ostream& out, std::ostream& err, const Terminal& terminal) {
  Context context{out, err, terminal};
  CLI::App app("Predicts the step time of an HLO program on a named device from its text.", "hloroof");
  app.formatter(std::make_shared<Help>());
  app.set_version_flag("--version", version_text);
  app.require_subcommand(1);
  add_predict(app, context);
  add_explain(app, context);
  add_lint(app, context);
  add_compare(app, context);
  add_diff(app, context);
  add_sweep(app, context);
  add_memory(app, context);
  add_counts(app, context);
  add_print(app, context);
  add_devices(app, context);
  add_calibrate(app, context);
  add_completion(app, context);
  std::vector<std::string> arguments = given;
  if (!arguments.empty() && arguments.front() == "help") {  // hloroof help predict
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  // CLI11 takes a misspelt subcommand for a missing one.
  if (!arguments.empty() && !arguments.front().empty() && arguments.front()[0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), arguments.front()) == names.end()) {
      context.fail(invalid_argument("no subcommand is called '" + arguments.front() + "'; the nearest are " +
                                    absl::StrJoin(nearest_names(arguments.front(), names, 3), ", ")));
      return context.exit_code;
    }
  }
  try {
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error, out, err);
      return kExitOk;
    }
    context.fail(invalid_argument(message_of(error, app, arguments)));
  }
  return context.exit_code;
}

}  // namespace hloroof::inline v0
