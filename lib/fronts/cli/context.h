// What the subcommands share: where results and messages go, and the exit code.
#ifndef HLOROOF_LIB_FRONTS_CLI_CONTEXT_H_
#define HLOROOF_LIB_FRONTS_CLI_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "hloroof/parse.h"
#include "lib/describe/table.h"
#include "lib/fronts/cli/cli.h"
#include "lib/fronts/cli/command.h"

namespace hloroof::internal::inline cli {

struct Context {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;
  int exit_code = kExitOk;
  bool took_standard_input = false;
  std::int64_t max_bytes = ParseOptions().max_bytes;  // of each module that is read; --max-bytes

  // The width of tables: 0, which is unlimited, if `wide`, that of the terminal, or 80 in the file `output`.
  std::size_t width(bool wide, const std::string& output = "") const;
  // How a table is written in `format`, which is the value of --format, with that width.
  TextLayout layout(std::string_view format, bool wide, const std::string& output = "") const;
  // Writes the status to err as `hloroof: message`, or the message alone if it begins with a place. Sets the exit code,
  // unless an earlier failure has set it.
  void fail(const absl::Status& status, int code = kExitBadInput);
  // Must be called before a file is read. Error: InvalidArgument if `file` is "-" and was read before.
  absl::Status take_input(std::string_view file);
  // Writes `hloroof: note: FILE: text` to err. Does nothing if the text is empty.
  void note(std::string_view file, std::string_view text);
  // Like fail, for a status of predict_step_time(), which is FailedPrecondition if --strict found something unknown.
  void fail_prediction(const absl::Status& status);
};

// Writes to the file `path`, or to context.out if it is empty or "-". run_cli() checks that context.out took all.
absl::Status write_output(Context& context, const std::string& path, std::string_view text);

// The subcommands, one file each. A command keeps the values of its options.
Command predict_command(Context& context);
Command explain_command(Context& context);
Command lint_command(Context& context);
Command lsp_command(Context& context);
Command compare_command(Context& context);
Command diff_command(Context& context);
Command sweep_command(Context& context);
Command passes_command(Context& context);
Command reschedule_command(Context& context);
Command scale_command(Context& context);
Command memory_command(Context& context);
Command kernel_command(Context& context);
Command bundles_command(Context& context);
Command counts_command(Context& context);
Command print_command(Context& context);
Command devices_command(Context& context);
Command doctor_command(Context& context);
Command radar_command(Context& context);
Command calibrate_command(Context& context);
Command mcp_command(Context& context);
// These two describe `top`, which must outlive them.
Command completion_command(const Command& top, Context& context);
Command man_command(const Command& top, Context& context);

// Describes all commands. Fills `top` in place, because `completion` and `man` refer to it.
void describe_commands(Context& context, Command& top);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_CONTEXT_H_
