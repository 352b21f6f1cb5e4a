// What a subcommand works on: the modules, the devices, and the changes to them, as the command line names them.
#ifndef HLOROOF_LIB_CLI_SUBJECTS_H_
#define HLOROOF_LIB_CLI_SUBJECTS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/cli/context.h"
#include "lib/cli/predict_flags.h"

namespace hloroof::inline v0 {

// The devices asked for: built-in names, or paths of device files (anything with a slash or ending in .json). Errors:
// InvalidArgument with the list of names if there is none; those of find_device and load_device.
absl::StatusOr<std::vector<Device>> load_devices(const PredictFlags& flags);
absl::StatusOr<Device> load_one_device(const PredictFlags& flags);

// How the command reads modules: what is wrong in several places is said at once.
ParseOptions reading_options();

// The files that `paths` stand for: a folder is the modules in it whose names end in after_optimizations, in order.
// Errors: NotFound if a folder has none.
absl::StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& paths);
// The one module that `path` stands for. Errors: InvalidArgument with the names if it is a folder with several.
absl::StatusOr<std::string> expand_to_one(const std::string& path);

// Every file on every device at every point of the settings.
struct Subjects {
  std::vector<std::string> files;
  std::vector<Device> devices;
  PredictOptions options;
  std::vector<Setting> settings;
};

// One device and one value for each setting, or several of both.
enum class Breadth { kOne, kSeveral };

absl::StatusOr<Subjects> find_subjects(const PredictFlags& flags, const std::vector<std::string>& paths,
                                       Breadth breadth);

// One module, one device and the options for it, --set among them.
struct Subject {
  std::string file;
  Module module;
  Device device;
  PredictOptions options;
};
absl::StatusOr<Subject> find_subject(const PredictFlags& flags, const std::string& path);

// Predicts all of them in order, files outermost, with progress on a terminal, and hands each to `use`. False, and the
// failure reported, at the first that fails.
using UsePrediction = std::function<void(const std::string& file, const Module& module, StepPrediction prediction)>;
bool predict_all(const Subjects& subjects, Context& context, const UsePrediction& use);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CLI_SUBJECTS_H_
