// The options shared by several subcommands.
#ifndef HLOROOF_LIB_FRONTS_CLI_PREDICT_FLAGS_H_
#define HLOROOF_LIB_FRONTS_CLI_PREDICT_FLAGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"
#include "lib/fronts/cli/command.h"

namespace hloroof::internal {

// Values of the options of a prediction, as they appear on the command line.
struct PredictFlags {
  std::vector<std::string> devices;     // split at commas
  std::vector<std::string> topologies;  // split at commas
  std::int64_t slices = 0;
  std::int64_t partitions = 0;
  std::string estimates = "model";
  std::vector<std::string> trip_counts;
  std::int64_t default_trip_count = 1;
  std::vector<std::string> custom_calls;
  std::vector<std::string> kernel_lists;
  std::vector<std::string> set;
  std::vector<std::string> branch_probabilities;
  std::string mesh;
  std::vector<std::string> mesh_order;  // split at commas
  std::string device_order;
  std::string wrap;
  std::string reduce_dtype;
  double imbalance = 1;
  bool strict = false;
  std::size_t jobs = 0;  // 0: one for each processor
};

Option limit_option(std::size_t& limit, const std::string& what);
Option wide_option(bool& wide);
// `choices` as in "text|json|csv|markdown".
Option format_option(std::string& format, const std::string& choices, const std::string& remark = "");
Option output_option(std::string& path);
Option files_argument(std::vector<std::string>& files);

Option device_option(PredictFlags& flags);
Option set_option(PredictFlags& flags);
inline constexpr std::string_view kSetOption = "--set";  // for messages about its values
Option strict_option(PredictFlags& flags);
// For commands that predict several files or devices.
Option jobs_option(PredictFlags& flags);
// The options that determine how much work a module is: trip counts, custom calls, lists of kernels and branches.
std::vector<Option> work_options(PredictFlags& flags);
// The first of `flags` that work_options() describes and that has a value; empty if none has.
std::string given_work_option(const PredictFlags& flags);
// --mesh, --mesh-order, --device-order, --wrap, --reduce-dtype and --imbalance.
std::vector<Option> mesh_options(PredictFlags& flags);
// All of the above from --device on, and the options of the machine: those of a command that predicts times.
std::vector<Option> prediction_options(PredictFlags& flags);

absl::Status read_mesh_flags(const PredictFlags& flags, PredictOptions& options);
// Reads all options but --device and --set. Errors: InvalidArgument naming the option and the form it takes.
absl::StatusOr<PredictOptions> predict_options(const PredictFlags& flags);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_FRONTS_CLI_PREDICT_FLAGS_H_
