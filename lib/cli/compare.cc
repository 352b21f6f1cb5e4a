#include "lib/report/compare.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/source_text.h"
#include "lib/cli/subjects.h"

namespace hloroof::inline v0 {
namespace {

// A trace of a few seconds; beyond this a file is no profile to compare op by op.
constexpr std::int64_t kMaxProfile = std::int64_t{1} << 30;

struct Flags {
  std::string file;
  std::string profile;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file);
  if (!subject.ok()) return context.fail(subject.status());
  const auto text = SourceText::read(flags.profile, kMaxProfile);
  if (!text.ok()) return context.fail(text.status());
  const absl::StatusOr<MeasuredProfile> profile = read_profile((*text)->view(), (*text)->path());
  if (!profile.ok()) return context.fail(profile.status());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(subject->module, subject->device, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  const absl::StatusOr<Comparison> comparison = compare(*prediction, *profile);
  if (!comparison.ok()) return context.fail(comparison.status());
  std::string result;
  if (flags.format == "json") {
    result = comparison_json(*prediction, *comparison);
  } else if (flags.format == "csv") {
    result = comparison_csv(*comparison);
  } else {
    CompareOptions view;
    view.limit = flags.limit;
    view.width = flags.wide ? 0 : 80;
    result = compare_view(*prediction, *comparison, view);
  }
  if (absl::Status status = write_output(context, flags.output, result); !status.ok()) context.fail(status);
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("compare", "Predicted against measured, op by op");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->file, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  command
      ->add_option("--profile", flags->profile, "XProf's hlo_stats as CSV or JSON, or a Chrome trace; may end in .gz")
      ->required()
      ->type_name("PROFILE");
  add_choice(*command, "--format", flags->format, "text|json|csv", "What to print");
  add_output(*command, flags->output);
  add_limit(*command, flags->limit, "Rows");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
