// What the subcommands share: where results and messages go, the exit code, and the options that several of them take.
#ifndef HLOROOF_LIB_CLI_CONTEXT_H_
#define HLOROOF_LIB_CLI_CONTEXT_H_

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/cli/cli.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace hloroof::inline v0 {

struct Context {
  std::ostream& out;
  std::ostream& err;
  int exit_code = kExitOk;

  // Writes the status to err as `hloroof: message` (a message that begins with a place stands alone) and sets the exit
  // code.
  void fail(const absl::Status& status, int code = kExitBadInput);
};

// Options that say how to predict, as they stand on the command line.
struct PredictFlags {
  std::vector<std::string> devices;  // split at commas
  std::string topology;
  std::int64_t slices = 0;
  std::string estimates = "model";
  std::vector<std::string> trip_counts;
  std::int64_t default_trip_count = 1;
  std::vector<std::string> custom_calls;
  std::vector<std::string> set;
  std::vector<std::string> branch_probabilities;
  std::string mesh;
  std::vector<std::string> mesh_order;  // split at commas
  std::string device_order;
  std::string wrap;
  std::string reduce_dtype;
  double imbalance = 1;
  bool strict = false;
};

// --mesh, --mesh-order, --device-order, --wrap, --reduce-dtype and --imbalance: where collectives run, and what ifs.
void add_mesh_flags(CLI::App& command, PredictFlags& flags);
absl::Status read_mesh_flags(const PredictFlags& flags, PredictOptions& options);

// Adds --device and the options of PredictFlags to a subcommand.
void add_device_flag(CLI::App& command, PredictFlags& flags);
void add_predict_flags(CLI::App& command, PredictFlags& flags);
// The part of them that says how much work a module is: trip counts, custom calls, branches, --strict.
void add_work_flags(CLI::App& command, PredictFlags& flags);

// Errors: InvalidArgument naming the option and what it should look like.
absl::StatusOr<PredictOptions> predict_options(const PredictFlags& flags);

// The devices asked for: built-in names, or paths of device files (anything with a slash or ending in .json). Errors:
// InvalidArgument with the list of names if there is none; those of find_device and load_device.
absl::StatusOr<std::vector<Device>> load_devices(const PredictFlags& flags);
absl::StatusOr<Device> load_one_device(const PredictFlags& flags);

// The files that `paths` stand for: a folder is the modules in it whose names end in after_optimizations, in order.
// Errors: NotFound if a folder has none.
absl::StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& paths);

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

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_CONTEXT_H_
