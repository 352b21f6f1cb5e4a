// The parser of the command line. This is the only file that includes CLI11, which takes longer to compile than the
// rest of the command: CLI11 splits the arguments into options and values, and all that is checked about the values is
// here.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "absl/strings/str_join.h"
#include "lib/base/decimal.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/command.h"
#include "lib/input/module_choice.h"

namespace hloroof::internal::inline cli {
namespace {

// An option of ours with CLI11's record of the values it was given.
using Declared = std::vector<std::pair<const Option*, const CLI::Option*>>;

void declare(const Option& option, bool is_positional, CLI::App& app, Declared& declared) {
  const std::string names = absl::StrJoin(option.names, ",");
  if (std::holds_alternative<std::monostate>(option.target)) {
    if (option.names.back() == "--version") app.set_version_flag(names);  // CLI11 adds --help itself
    if (option.names.back() == "--help-all") app.set_help_all_flag(names);
    return;
  }
  if (bool* const* flag = std::get_if<bool*>(&option.target)) {
    app.add_flag(names, **flag);
    return;
  }
  CLI::Option* added = app.add_option(names, CLI::callback_t([](const CLI::results_t&) { return true; }));
  added->required(option.required);
  if (option.repeats()) {
    added->expected(CLI::detail::expected_max_vector_size);
    // One value each time, so that the word after it is not taken for a further value.
    if (!is_positional) added->allow_extra_args(false);
    if (is_comma_list(option.argument)) added->delimiter(',');
  }
  declared.emplace_back(&option, added);
}

// NOLINTNEXTLINE(misc-no-recursion): the command has two levels.
void declare(const Command& command, CLI::App& app, Declared& declared) {
  for (const Option& option : command.positionals) declare(option, true, app, declared);
  for (const Option& option : command.options) declare(option, false, app, declared);
  for (const Command& subcommand : command.subcommands) {
    declare(subcommand, *app.add_subcommand(subcommand.name), declared);
  }
  if (!command.subcommands.empty()) app.require_subcommand(1);
}

// "text, json or csv".
std::string in_words(const std::vector<std::string>& choices) {
  std::string out;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return out;
}

std::string number_text(const Option& option) { return option.positive ? "a number above 0" : "a number"; }

bool is_allowed(const Option& option, double value) { return !option.positive || (value > 0 && std::isfinite(value)); }

// Stores `text` in the target, which is not a vector. Returns what the option takes if `text` is not that.
std::string store(const Option& option, const std::string& text) {
  if (std::string* const* target = std::get_if<std::string*>(&option.target)) {
    const std::vector<std::string> choices = choices_of(option.argument);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) return in_words(choices);
    **target = text;
    return "";
  }
  if (double* const* target = std::get_if<double*>(&option.target)) {
    const std::optional<double> number = parse_number<double>(text);
    if (number) **target = *number;
    return number && is_allowed(option, *number) ? "" : number_text(option);
  }
  const std::optional<std::int64_t> number = parse_number<std::int64_t>(text);
  if (!number || *number < option.least) {
    return "a whole number from " + std::to_string(option.least);
  }
  if (std::int64_t* const* target = std::get_if<std::int64_t*>(&option.target)) **target = *number;
  if (std::size_t* const* target = std::get_if<std::size_t*>(&option.target)) {
    **target = static_cast<std::size_t>(*number);
  }
  return "";
}

// Rejects "tpu_v5e," and ",": CLI11 drops empty parts of a list.
absl::Status check_lists(const Command& command, const std::vector<std::string>& arguments) {
  for (const Option& option : command.options) {
    if (!is_comma_list(option.argument)) continue;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string& name = option.names.back();
      std::string value;
      if (arguments[i] == name && i + 1 < arguments.size()) {
        value = arguments[i + 1];
      } else if (arguments[i].rfind(name + "=", 0) == 0) {
        value = arguments[i].substr(name.size() + 1);
      } else {
        continue;
      }
      const std::string padded = "," + value + ",";
      if (padded.find(",,") == std::string::npos) continue;
      return invalid_argument(name + " '" + value + "' has an empty entry; expected entries separated by commas. `" +
                              command.path + " --help` lists the options");
    }
  }
  return absl::OkStatus();
}

// Stores the values of one option, of which there is at least one. Returns what it takes, and the value that is not
// that.
std::pair<std::string, std::string> store_values(const Option& option, const std::vector<std::string>& values) {
  if (!option.stands_for.empty()) {
    for (const std::string& value : values) {
      const std::optional<double> number = parse_number<double>(value);
      if (!number || !is_allowed(option, *number)) return {number_text(option), value};
      std::get<std::vector<std::string>*>(option.target)->push_back(option.stands_for + value);
    }
    return {};
  }
  if (option.repeats()) {
    std::vector<std::string>& target = *std::get<std::vector<std::string>*>(option.target);
    target.insert(target.end(), values.begin(), values.end());
    return {};
  }
  return {store(option, values.front()), values.front()};
}

absl::Status store_all(const Declared& declared, const Command& command) {
  for (const auto& [option, given] : declared) {
    const std::vector<std::string>& values = given->results();
    if (values.empty()) continue;
    const auto [expected, value] = store_values(*option, values);
    if (!expected.empty()) {
      return invalid_argument(option->names.back() + " takes " + expected + ", not '" + value + "'. `" + command.path +
                              " --help` lists the options");
    }
  }
  return absl::OkStatus();
}

// The innermost command that the arguments name.
const Command& reached(const CLI::App& app, const Command& top) {
  const Command* command = &top;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command = &*std::find_if(command->subcommands.begin(), command->subcommands.end(),
                             [&](const Command& inner) { return inner.name == at->get_name(); });
  }
  return *command;
}

std::string message_of(const CLI::ParseError& error, const Command& command,
                       const std::vector<std::string>& arguments) {
  const std::string& path = command.path;
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::vector<std::string> names = option_names(command);
    for (const std::string& argument : arguments) {
      if (argument.size() < 2 || argument[0] != '-') continue;
      const std::string given = argument.substr(0, argument.find('='));
      if (std::find(names.begin(), names.end(), given) != names.end()) continue;
      return path + " has no option " + given + "; the nearest are " +
             absl::StrJoin(nearest_names(given, names, 3), ", ") + ". `" + path + " --help` lists them";
    }
  }
  const bool is_top = path == command.name;
  if (is_top && !arguments.empty() && arguments.front().size() > 1 && arguments.front()[0] == '-') {
    return path + " has no option " + arguments.front() + "; a subcommand comes first. `" + path +
           " --help` lists both";
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) && !command.subcommands.empty()) {
    const std::string names = absl::StrJoin(subcommand_names(command), ", ");
    const auto named = std::find(arguments.begin(), arguments.end(), command.name);
    if (named != arguments.end() && named + 1 != arguments.end() && (named + 1)->rfind('-', 0) != 0) {
      return path + " has no subcommand " + *(named + 1) + "; there are " + names;
    }
    return "a subcommand is required: " + names + ". `" + path + " --help` describes them";
  }
  return std::string(error.what()) + ". `" + path + " --help` lists the options";
}

}  // namespace

absl::StatusOr<Invocation> parse_arguments(const Command& top, const std::vector<std::string>& arguments) {
  // CLI11 reports a misspelt subcommand as a missing one.
  if (!arguments.empty() && !arguments.front().empty() && arguments.front()[0] != '-') {
    const std::vector<std::string> names = subcommand_names(top);
    if (std::find(names.begin(), names.end(), arguments.front()) == names.end()) {
      return invalid_argument(top.path + " has no subcommand '" + arguments.front() + "'; the nearest are " +
                              absl::StrJoin(nearest_names(arguments.front(), names, 3), ", "));
    }
  }
  CLI::App app("", top.name);
  Declared declared;
  declare(top, app, declared);
  for (const Command& subcommand : top.subcommands) {
    if (arguments.empty() || subcommand.name != arguments.front()) continue;
    if (absl::Status status = check_lists(subcommand, arguments); !status.ok()) return status;
  }
  try {
    // CLI11 takes the arguments last first.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    // -#NAME is a module on standard input and -@DEVICE a side of diff, not options.
    for (std::string& argument : reversed) {
      if (argument.rfind("-#", 0) == 0 || argument.rfind("-@", 0) == 0) argument.replace(0, 1, kStandardInput);
    }
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return Invocation{Invocation::Kind::kHelp, &reached(app, top)};
  } catch (const CLI::CallForAllHelp&) {
    return Invocation{Invocation::Kind::kHelpAll, &reached(app, top)};
  } catch (const CLI::CallForVersion&) {
    return Invocation{Invocation::Kind::kVersion, &top};
  } catch (const CLI::ParseError& error) {
    return invalid_argument(message_of(error, reached(app, top), arguments));
  }
  const Command& command = reached(app, top);
  if (absl::Status status = store_all(declared, command); !status.ok()) return status;
  return Invocation{Invocation::Kind::kRun, &command};
}

}  // namespace hloroof::internal::inline cli
