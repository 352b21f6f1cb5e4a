// What is printed from the description of a command: --help, the manual page and the completions of shells.
#ifndef HLOROOF_LIB_FRONTS_CLI_COMMAND_HELP_H_
#define HLOROOF_LIB_FRONTS_CLI_COMMAND_HELP_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/fronts/cli/command.h"

namespace hloroof::internal::inline cli {

// "hloroof predict [OPTIONS] FILE..."
std::string usage_line(const Command& command);

// "--device DEVICE,..."
std::string option_heading(const Option& option);

// Whether a help text has the rare options and the footer, or says in its last line that --help-all has them.
enum class HelpExtent { kCommon, kAll };

// The text of --help or --help-all, in lines of at most 80 characters.
std::string help_text(const Command& command, std::string_view footer, HelpExtent extent);

// The values that a completion offers for an argument: the choices of "text|json", the devices for DEVICE, the views
// for VIEW, the codes of diagnostics for CODE. Empty for files and free text.
std::vector<std::string> argument_values(std::string_view argument);

// The manual page, section 1, in the man macros of roff.
std::string man_page(const Command& command);

// The completion script of a shell: bash, zsh or fish. Empty for other shells.
std::string completion_script(const Command& command, std::string_view shell);

// The end of every help text and of the manual page.
inline constexpr std::string_view kExitCodes =
    "Exit codes: 0 ok, 1 bad input, 2 incomplete under --strict, 3 a gate (--fail-if, lint) failed.";
inline constexpr std::string_view kFileForms =
    "FILE may be HLO text, a log with HLO in it, a proto or a profile; - (standard input), a dump folder, and any of "
    "these "
    "compressed with gzip. FILE#NAME and FILE#2 select one of several modules.";

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_COMMAND_HELP_H_
