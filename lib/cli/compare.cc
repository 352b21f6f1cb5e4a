#include "lib/report/compare.h"

#include <memory>

#include "lib/cli/origin_warnings.h"
#include "lib/cli/subjects.h"

namespace hloroof::internal {
namespace {

struct CompareFlags {
  std::string file;
  std::string profile;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

void run_compare(const CompareFlags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context);
  if (!subject.ok()) return context.fail(subject.status());
  if (absl::Status status = context.take_input(flags.profile); !status.ok()) return context.fail(status);
  const absl::StatusOr<MeasuredProfile> profile = load_profile(flags.profile);
  if (!profile.ok()) return context.fail(profile.status());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(subject->module, subject->target, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  OriginWarnings(context).add(subject->file, prediction->diagnostics);
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
    view.width = context.width(flags.wide, flags.output);
    view.markdown = flags.format == "markdown";
    result = compare_view(*prediction, *comparison, view);
  }
  if (absl::Status status = write_output(context, flags.output, result); !status.ok()) context.fail(status);
}

}  // namespace

Command compare_command(Context& context) {
  auto flags = std::make_shared<CompareFlags>();
  Command command{.name = "compare", .text = "Compares the prediction with a measured profile, op by op"};
  command.positionals = {{.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true}};
  command.options = prediction_options(flags->predict);
  append(command.options, {{.names = {"--profile"},
                            .argument = "PROFILE",
                            .text = "XProf's hlo_stats as CSV or JSON, or a Chrome trace; may be compressed with gzip",
                            .target = &flags->profile,
                            .required = true},
                           format_option(flags->format, "text|json|csv|markdown"),
                           output_option(flags->output),
                           limit_option(flags->limit, "rows"),
                           wide_option(flags->wide)});
  command.run = [flags, &context] { run_compare(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
