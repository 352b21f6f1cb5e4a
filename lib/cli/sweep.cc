#include "lib/report/sweep.h"

#include <memory>

#include "lib/cli/origin_warnings.h"
#include "lib/cli/subjects.h"

namespace hloroof::internal {
namespace {

struct SweepFlags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  bool wide = false;
};

void run_sweep(const SweepFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  OriginWarnings warnings(context);
  std::vector<NamedPrediction> points;
  const bool done = predict_all(*subjects, context, [&](const std::string& file, StepPrediction prediction) {
    warnings.add(file, prediction);
    // The table says what each point comes to; thousands of points need not keep their ops.
    prediction.facts.reset();
    prediction.ops = {};
    prediction.timeline = {};
    prediction.collectives = {};
    prediction.diagnostics = {};
    prediction.memory.live_at_peak = {};
    points.emplace_back(file, std::move(prediction));
  });
  if (!done) return;
  std::string text;
  if (flags.format == "json") {
    text = sweep_json(points);
  } else if (flags.format == "csv") {
    text = sweep_csv(points);
  } else {
    text = comparison_view(points, flags.wide ? 0 : 80);
  }
  if (absl::Status status = write_output(context, flags.output, text); !status.ok()) context.fail(status);
}

}  // namespace

Command sweep_command(Context& context) {
  auto flags = std::make_shared<SweepFlags>();
  Command command{.name = "sweep",
                  .text = "Prints one line for each combination of files, devices and values of --set NAME=V,V,..."};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  append(command.options,
         {{.names = {"--format"}, .argument = "text|json|csv", .text = "Output format", .target = &flags->format},
          output_option(flags->output),
          wide_option(flags->wide)});
  command.run = [flags, &context] { run_sweep(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
