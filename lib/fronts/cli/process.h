// The hloroof command as a whole process, for main() and for the command of the Python package.
#ifndef HLOROOF_LIB_FRONTS_CLI_PROCESS_H_
#define HLOROOF_LIB_FRONTS_CLI_PROCESS_H_

#include <string>
#include <vector>

namespace hloroof::internal::inline cli {

// Runs `hloroof` with the arguments after the program's name, on the standard streams of the process and with what they
// are connected to. Returns the exit code. Sets how the process allocates memory, and that std::cout and C's stdout
// have buffers of their own: call it at the end of a process.
int run_process(const std::vector<std::string>& arguments);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_PROCESS_H_
