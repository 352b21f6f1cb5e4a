// The modules, devices and settings that the command line names.
#ifndef HLOROOF_LIB_FRONTS_CLI_SUBJECTS_H_
#define HLOROOF_LIB_FRONTS_CLI_SUBJECTS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/fronts/cli/common_options.h"
#include "lib/fronts/cli/context.h"
#include "lib/hardware/settings.h"
#include "lib/input/parse_proto.h"
#include "lib/predict/from_facts.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline cli {

// Finds the targets of --device: names of targets, or paths of device files, which contain a slash or end in .json.
// Errors: InvalidArgument with the list of names if --device is missing; the errors of find_target and load_device.
absl::StatusOr<std::vector<Target>> find_targets(const Request& flags);
absl::StatusOr<Target> find_one_target(const Request& flags);

// How the command reads modules: the parser reports several errors at once.
ParseOptions reading_options();

// Loads the module of a file and writes a note to context.err if lines of the file were skipped.
absl::StatusOr<Module> read_module(const std::string& file, Context& context,
                                   LargeConstants constants = LargeConstants::kModerate);

// Replaces each folder in `paths` by the modules in it: those whose names end in after_optimizations, as text or
// else as a proto, or if there are none all .hlo files, sorted by name. Errors: NotFound if a folder has none.
absl::StatusOr<std::vector<std::string>> expand_inputs(const std::vector<std::string>& paths);
// The same for a path that must name one module. Errors: InvalidArgument with the names if a folder has several.
absl::StatusOr<std::string> expand_to_one(const std::string& path);

// Every file is predicted on every target and topology for every combination of the settings.
struct Subjects {
  std::vector<std::string> files;
  std::vector<Target> targets;
  std::vector<std::string> topologies;  // each for every target; empty: the default of each
  PredictOptions options;
  std::vector<Setting> settings;
  std::size_t jobs = 0;  // threads of predict_all(); 0: one for each processor

  // The number of predictions that predict_all() makes.
  std::size_t count() const;
};

// Whether a command takes one device, one topology and one value for each setting, or several.
enum class Breadth { kOne, kSeveral };

absl::StatusOr<Subjects> find_subjects(const Request& flags, const std::vector<std::string>& paths, Breadth breadth);

// One module, one target and the options, which include --set.
struct Subject {
  std::string file;
  Module module;
  Target target;
  PredictOptions options;
};
absl::StatusOr<Subject> find_subject(const Request& flags, const std::string& path, Context& context,
                                     LargeConstants constants = LargeConstants::kModerate);

// The same for a module that was read in another way, and that messages call `file`.
absl::StatusOr<Subject> subject_of_module(const Request& flags, std::string file, Module module);

// The target and the options of a command that takes one of each, without a file.
absl::StatusOr<Subjects> find_place(const Request& flags);

// The module in the profile at `path`. Errors: those of profiled_module().
absl::StatusOr<Module> module_in_profile(const MeasuredProfile& profile, const std::string& path,
                                         const Context& context);

// Predicts all subjects, on several threads, and passes the predictions to `use` in order, files outermost, on the
// calling thread. Shows progress on a terminal. Reports each failure and continues with the next subject; returns
// whether there is any prediction. The facts of a prediction point to a module that lives until use() returns: `use`
// resets them in what it keeps.
using UsePrediction = std::function<void(const std::string& file, StepPrediction prediction)>;
bool predict_all(const Subjects& subjects, Detail detail, Context& context, const UsePrediction& use);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_SUBJECTS_H_
