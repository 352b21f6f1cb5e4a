#include "lib/report/sweep.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/subjects.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  std::vector<NamedPrediction> points;
  const bool done =
      predict_all(*subjects, context, [&](const std::string& file, const Module&, StepPrediction prediction) {
        // The table says what each point comes to; thousands of points need not keep their ops.
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

void add_sweep(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "sweep", "One line for every combination of files, devices and the values of --set NAME=V,V,...");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files);
  add_predict_flags(*command, flags->predict);
  add_choice(*command, "--format", flags->format, "text|json|csv", "What to print");
  add_output(*command, flags->output);
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
