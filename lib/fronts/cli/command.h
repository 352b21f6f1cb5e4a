// Commands and options as plain data. The parser, --help, the manual page and the completions are all made from this
// one description, so they cannot disagree.
//
//   Command command{.name = "memory", .text = "Prints peak memory"};
//   command.options = {{.names = {"--format"}, .argument = "text|json", .text = "Output format", .target = &format}};
//   command.run = [&] { ... };
#ifndef HLOROOF_LIB_FRONTS_CLI_COMMAND_H_
#define HLOROOF_LIB_FRONTS_CLI_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline cli {

// How the value of an option names files. An option that names one must say so: the tools of `hloroof mcp` read only
// what is in their folder.
enum class Reads : std::uint8_t {
  kNothing,
  kFile,     // a file, or FILE#NAME for a module in it, or a folder of dumps
  kDevices,  // names of devices, or paths of device files
};

struct Option {
  // Where the value goes: a flag is a bool, and a vector collects the values of an option that may be repeated. Only
  // --help, --help-all and --version have no target.
  using Target = std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*, std::int64_t*,
                              std::size_t*, double*>;

  std::vector<std::string> names{};  // "-o", "--output"; a positional argument has one name without dashes
  // What the option takes, empty for a flag. "text|json" allows these values and no others. "DEVICE,..." is split at
  // commas. Anything else, such as "OUT", is a placeholder.
  std::string argument{};
  std::string text{};
  Target target{};
  std::string group = "Options";  // the heading in --help
  bool required = false;
  std::int64_t least = 0;  // the smallest whole number allowed
  bool positive = false;   // a number must be above 0
  bool rare = false;       // --help leaves it out; --help-all, the manual page and the completions have it
  Reads reads = Reads::kNothing;
  // Not empty: a short form of another option, with the same target. A value is added to it behind this text: --power
  // 200 is --set power=200.
  std::string stands_for{};

  bool repeats() const { return std::holds_alternative<std::vector<std::string>*>(target); }
};

struct Command {
  std::string name{};
  std::string text{};
  std::vector<Option> positionals{};
  std::vector<Option> options{};
  std::vector<Command> subcommands{};  // if there are any, one of them is required
  std::function<void()> run{};
  std::string path{};  // "hloroof devices show"; complete_command() sets it
};

// Sets the paths of `command` and of its subcommands, and adds --help to each, and --help-all to those with rare
// options.
void complete_command(Command& command);

void append(std::vector<Option>& options, const std::vector<Option>& more);

// `options` as rare ones.
std::vector<Option> as_rare(std::vector<Option> options);

bool has_rare_options(const Command& command);

std::vector<std::string> option_names(const Command& command);
std::vector<std::string> subcommand_names(const Command& command);

// The values between the bars of "text|json"; empty for other arguments.
std::vector<std::string> choices_of(std::string_view argument);

// Whether the argument ends in ",...", which means several values separated by commas.
bool is_comma_list(std::string_view argument);

struct Invocation {
  enum class Kind { kRun, kHelp, kHelpAll, kVersion };
  Kind kind = Kind::kRun;
  const Command* command = nullptr;  // the innermost command that the arguments name
};

// Stores the values of `arguments`, those after the program's name, in the targets of the options. Runs nothing.
// Errors: InvalidArgument with a message of one line that says what is wrong and how to find what is right.
absl::StatusOr<Invocation> parse_arguments(const Command& top, const std::vector<std::string>& arguments);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_COMMAND_H_
