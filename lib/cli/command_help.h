// The commands and options as plain data, read off the parser's own tree, so that --help, the man page and the shells'
// completions cannot differ.
#ifndef HLOROOF_LIB_CLI_COMMAND_HELP_H_
#define HLOROOF_LIB_CLI_COMMAND_HELP_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace hloroof::inline v0 {

struct OptionHelp {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its name alone
  std::string argument;            // what it takes: "OUT", "text|json"; empty for a flag
  std::string text;
  std::string group;  // "Options", "Program", ...
  bool required = false;
  bool repeats = false;
};

struct CommandHelp {
  std::string name;
  std::string path;  // with the commands it belongs to: "hloroof devices show"
  std::string text;
  std::vector<OptionHelp> positionals;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> subcommands;
};

// The tree of depth two that a command has: itself, its subcommands, and theirs.
CommandHelp describe_command(const CLI::App& app);

// "hloroof predict [OPTIONS] FILE..."
std::string usage_line(const CommandHelp& command);

// "--device DEVICE,..."
std::string option_heading(const OptionHelp& option);

// What --help prints: lines of at most 80 characters.
std::string help_text(const CommandHelp& command, std::string_view footer);

// The values that may stand for an argument, by what it is called: those between bars in "text|json", the devices for
// DEVICE, the views for VIEW, the codes of diagnoses for CODE; nothing for files and free text. An argument that ends
// in
// ",..." takes several, separated by commas.
std::vector<std::string> argument_values(std::string_view argument);
bool is_comma_list(std::string_view argument);

// The page of section 1 for man(1), in the man macros.
std::string man_page(const CommandHelp& command);

// A completion script; `shell` is bash, zsh or fish, empty for any other.
std::string completion_script(const CommandHelp& command, std::string_view shell);

// What every help text and the man page end with.
inline constexpr std::string_view kExitCodes =
    "Exit codes: 0 ok, 1 bad input, 2 incomplete under --strict, 3 a gate (--fail-if, lint) failed.";
inline constexpr std::string_view kFileForms = "FILE may be - (standard input), end in .gz, or be a dump folder.";

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_COMMAND_HELP_H_
