#include "lib/measured/compare.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/strings.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/measured/profiled_program.h"
#include "lib/profile/profile_folder.h"

namespace hloroof::internal::inline cli {
namespace {

struct CompareFlags {
  std::string file;
  std::string profile;
  Request predict;
  AnswerFlags answer;
};

// The module, device and options: those that were given, or else what the profile says.
absl::StatusOr<Subject> subject_of(const CompareFlags& flags, const MeasuredProfile& profile, Context& context) {
  Request predict = flags.predict;
  if (predict.devices.empty() && profile.backend != ProfiledBackend::kUnknown) {
    const absl::StatusOr<std::string> device = profiled_device(profile);
    if (!device.ok()) return device.status();
    predict.devices = {*device};
  }
  if (!flags.profile.empty()) return find_subject(predict, flags.file, context);
  absl::StatusOr<Module> module = module_in_profile(profile, flags.file, context);
  if (!module.ok()) return module.status();
  return subject_of_module(predict, flags.file, *std::move(module));
}

void run_compare(const CompareFlags& flags, Context& context) {
  const std::string& path = flags.profile.empty() ? flags.file : flags.profile;
  std::error_code unknown;
  const bool is_there = path == "-" || std::filesystem::exists(path, unknown);  // reading says why it is not
  if (flags.profile.empty() && is_there && !is_profile_path(path)) {
    return context.fail(
        invalid_argument(path + " is no folder of jax.profiler.trace: --profile must name the profile"));
  }
  absl::Status status = context.take_input(path);
  if (status.ok() && path == "-" && flags.file == "-") status = context.take_input(flags.file);  // before it is read
  if (!status.ok()) return context.fail(status);
  const absl::StatusOr<MeasuredProfile> profile = load_profile(path, context.max_bytes);
  if (!profile.ok()) return context.fail(profile.status());
  const absl::StatusOr<Subject> subject = subject_of(flags, *profile, context);
  if (!subject.ok()) return context.fail(subject.status());
  absl::StatusOr<StepPrediction> prediction = predict_step_time(subject->module, subject->target, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  OriginWarnings(context).add(subject->file, prediction->diagnostics);
  const absl::StatusOr<ProfileComparison> comparison = compare(*prediction, *profile);
  if (!comparison.ok()) return context.fail(comparison.status());
  write_answer(MeasuredStep{&*prediction, &*comparison}, flags.answer, context);
}

}  // namespace

Command compare_command(Context& context) {
  auto flags = std::make_shared<CompareFlags>();
  Command command{.name = "compare", .text = "Compares the prediction with a measured profile, op by op"};
  command.positionals = {{.names = {"FILE"},
                          .text = "HLO text; or the folder of jax.profiler.trace, which has the HLO of its programs",
                          .target = &flags->file,
                          .required = true,
                          .reads = Reads::kFile}};
  command.options = prediction_options(flags->predict);
  append(command.options, {{.names = {"--profile"},
                            .argument = "PROFILE",
                            .text = "The folder of jax.profiler.trace, an xplane.pb file, XProf's hlo_stats as CSV or "
                                    "JSON, or a Chrome trace; files may be compressed with gzip",
                            .target = &flags->profile,
                            .reads = Reads::kFile},
                           answer_format_option(flags->answer, "compare"),
                           output_option(flags->answer.output),
                           limit_option(flags->answer.limit, "rows"),
                           wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_compare(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
