// The options shared by several subcommands.
#ifndef HLOROOF_LIB_FRONTS_CLI_COMMON_OPTIONS_H_
#define HLOROOF_LIB_FRONTS_CLI_COMMON_OPTIONS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/fronts/cli/command.h"
#include "lib/request/options.h"

namespace hloroof::internal::inline cli {

// What a command is asked to predict: the devices, and the options as they appear on the command line.
struct Request {
  std::vector<std::string> devices;  // split at commas
  OptionValues values;
  std::size_t jobs = 0;  // 0: one for each processor

  const std::vector<std::string>& topologies() const { return values.texts(OptionId::kTopology); }
  const std::vector<std::string>& settings() const { return values.texts(OptionId::kSet); }
};

Option limit_option(std::size_t& limit, const std::string& what);
Option wide_option(bool& wide);
// `choices` as in "text|json|csv|markdown".
Option format_option(std::string& format, const std::string& choices, const std::string& remark = "");
Option output_option(std::string& path);
Option files_argument(std::vector<std::string>& files);

Option device_option(Request& request);
// An option of option.def.
Option option_of(OptionId id, Request& request);
inline constexpr std::string_view kSetOption = "--set";  // for messages about its values
// For commands that predict several files or devices.
Option jobs_option(Request& request);
// The options that determine how much work a module is: trip counts, custom calls, lists of kernels and branches.
std::vector<Option> work_options(Request& request);
// The first of `request` that work_options() describes and that has a value; empty if none has.
std::string given_work_option(const Request& request);
// --device and all of option.def: those of a command that predicts times.
std::vector<Option> prediction_options(Request& request);

// Reads all options but --device and --set. Errors: InvalidArgument naming the option and the form it takes.
absl::StatusOr<PredictOptions> predict_options(const Request& request);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_COMMON_OPTIONS_H_
