// The hloroof command as a function, so that tests can run it without starting a process.
#ifndef HLOROOF_LIB_FRONTS_CLI_CLI_H_
#define HLOROOF_LIB_FRONTS_CLI_CLI_H_

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace hloroof::internal::inline cli {

// Exit codes of the command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitBadInput = 1;
inline constexpr int kExitIncomplete = 2;  // under --strict
inline constexpr int kExitGateFailed = 3;  // --fail-if, lint

// What the two streams are connected to.
struct Terminal {
  bool color = false;            // `out` is a terminal with colours, and the user has not turned them off
  bool err_is_terminal = false;  // progress is shown only there
  std::size_t width = 80;        // of the lines of `out`: that of the terminal, or 80 for a file or a pipe
  std::chrono::milliseconds progress_after{1000};
};

// Runs `hloroof` with the arguments after the program's name. Results go to `out`, messages to `err`. Returns the exit
// code.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            const Terminal& terminal = {});

// The version of the command and a hash of the device files, as --version prints them. Two reports are comparable only
// if both agree.
std::string version_text();

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_CLI_H_
