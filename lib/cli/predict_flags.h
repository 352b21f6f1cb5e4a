// The options that several subcommands take.
#ifndef HLOROOF_LIB_CLI_PREDICT_FLAGS_H_
#define HLOROOF_LIB_CLI_PREDICT_FLAGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/predict.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace hloroof::inline v0 {

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

// An option whose value is one of those between the bars of `choices`; anything else is an error that names them.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value, std::string_view choices,
                        const std::string& text);
// An option that may be repeated, each time with one value (or, split at commas, several), so that what follows it is
// not taken for a further value.
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& argument, const std::string& text);
// -n: how many rows before [N others].
CLI::Option* add_limit(CLI::App& command, std::size_t& limit, const std::string& what);
// A whole number from `least` on.
CLI::Option* add_count(CLI::App& command, const std::string& name, std::int64_t& value, std::int64_t least,
                       const std::string& text);
CLI::Option* add_wide(CLI::App& command, bool& wide);
CLI::Option* add_output(CLI::App& command, std::string& path);
CLI::Option* add_files(CLI::App& command, std::vector<std::string>& files);

// --mesh, --mesh-order, --device-order, --wrap, --reduce-dtype and --imbalance: where collectives run, and what ifs.
void add_mesh_flags(CLI::App& command, PredictFlags& flags);
absl::Status read_mesh_flags(const PredictFlags& flags, PredictOptions& options);

// Adds --device and the options of PredictFlags to a subcommand.
void add_device_flag(CLI::App& command, PredictFlags& flags);
void add_predict_flags(CLI::App& command, PredictFlags& flags);
// The part of them that says how much work a module is: trip counts, custom calls, branches, --strict.
void add_work_flags(CLI::App& command, PredictFlags& flags);

// All but --device and --set. Errors: InvalidArgument naming the option and what it should look like.
absl::StatusOr<PredictOptions> predict_options(const PredictFlags& flags);

// One --set NAME=V,V,...: a value is a number, or with an x behind it a multiple of what the device has.
struct Setting {
  struct Value {
    double number = 0;
    bool is_multiple = false;
  };
  std::string parameter;
  std::vector<Value> values;
};
absl::StatusOr<std::vector<Setting>> parse_settings(const std::vector<std::string>& texts);

// A number for each of the settings, as PredictOptions::set takes them.
using Point = std::vector<std::pair<std::string, double>>;
// All combinations of the settings' values on `device`, the last setting varying fastest; one empty point for no
// settings. Errors: NotFound for a multiple of what the device does not have; InvalidArgument for too many points.
absl::StatusOr<std::vector<Point>> points_of(const std::vector<Setting>& settings, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_PREDICT_FLAGS_H_
