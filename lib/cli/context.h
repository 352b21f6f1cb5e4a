// What the subcommands share: where results and messages go, and the exit code.
#ifndef HLOROOF_LIB_CLI_CONTEXT_H_
#define HLOROOF_LIB_CLI_CONTEXT_H_

#include <ostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/cli/cli.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}  // namespace CLI

namespace hloroof::inline v0 {

struct Context {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;
  int exit_code = kExitOk;

  // Writes the status to err as `hloroof: message` (a message that begins with a place stands alone) and sets the exit
  // code.
  void fail(const absl::Status& status, int code = kExitBadInput);
  // The same for a status of predict_step_time(), which is FailedPrecondition where --strict found something unknown.
  void fail_prediction(const absl::Status& status);
};

// Writes to the file `path`, or to context.out if it is empty or "-".
absl::Status write_output(Context& context, const std::string& path, std::string_view text);

// The subcommands, a file each.
void add_predict(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_lint(CLI::App& app, Context& context);
void add_memory(CLI::App& app, Context& context);
void add_print(CLI::App& app, Context& context);
void add_counts(CLI::App& app, Context& context);
void add_devices(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_CONTEXT_H_
