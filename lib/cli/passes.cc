#include "lib/report/passes.h"

#include <memory>
#include <utility>

#include "lib/cli/origin_warnings.h"
#include "lib/cli/subjects.h"
#include "lib/report/diff.h"

namespace hloroof::internal {
namespace {

struct PassesFlags {
  std::string folder;
  PredictFlags predict;
  std::string module;
  std::string around;
  std::string format = "text";
  std::string output;
  bool all = false;
  bool wide = false;
};

// The difference by op between the states before and after a pass.
absl::StatusOr<std::string> difference_around(const PassReport& report, std::size_t row, const Subjects& subjects,
                                              const TextLayout& layout) {
  absl::StatusOr<Module> modules[] = {load_module(report.rows[row - 1].file), load_module(report.rows[row].file)};
  std::vector<StepPrediction> steps;
  for (const absl::StatusOr<Module>& module : modules) {
    if (!module.ok()) return module.status();
    absl::StatusOr<StepPrediction> step = predict_step_time(*module, subjects.targets[0], subjects.options);
    if (!step.ok()) return step.status();
    steps.push_back(*std::move(step));
  }
  DiffOptions options;
  options.width = layout.width;
  Difference difference = find_difference(steps[0], steps[1], options);
  difference.before_file = report.rows[row - 1].file;
  difference.after_file = report.rows[row].file;
  return layout.markdown ? diff_markdown(difference, options) : diff_view(difference, options);
}

void run_passes(const PassesFlags& flags, Context& context) {
  const absl::StatusOr<std::vector<PassDump>> dumps = find_pass_dumps(flags.folder, flags.module);
  if (!dumps.ok()) return context.fail(dumps.status());
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, {dumps->back().path}, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  const absl::StatusOr<PassReport> report = pass_report(flags.folder, *dumps, subjects->targets[0], subjects->options);
  if (!report.ok()) return context.fail(report.status());
  StepPrediction last;
  last.diagnostics = report->origin;
  last.device = report->device;
  OriginWarnings(context).add(dumps->back().path, last);
  TextLayout layout;
  layout.width = context.width(flags.wide, flags.output);
  layout.markdown = flags.format == "markdown";
  std::string text;
  if (!flags.around.empty()) {
    const absl::StatusOr<std::size_t> row = find_pass(*report, flags.around);
    if (!row.ok()) return context.fail(row.status());
    absl::StatusOr<std::string> difference = difference_around(*report, *row, *subjects, layout);
    if (!difference.ok()) return context.fail(difference.status());
    text = *std::move(difference);
  } else {
    text = flags.format == "json"  ? passes_json(*report)
           : flags.format == "csv" ? passes_csv(*report)
                                   : passes_view(*report, flags.all, layout);
  }
  if (absl::Status status = write_output(context, flags.output, text); !status.ok()) context.fail(status);
}

}  // namespace

Command passes_command(Context& context) {
  auto flags = std::make_shared<PassesFlags>();
  Command command{
      .name = "passes",
      .text =
          "Shows what each pass of a compile did to step time, memory, collectives and copies, from the dumps "
          "of --xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*"};
  command.positionals = {
      {.names = {"FOLDER"}, .text = "Folder of the dumps of one compile", .target = &flags->folder, .required = true}};
  command.options = prediction_options(flags->predict);
  append(
      command.options,
      {{.names = {"--module"},
        .argument = "NAME",
        .text = "A part of the name of one of several modules; default: the one with the most bytes",
        .target = &flags->module},
       {.names = {"--around"},
        .argument = "PASS",
        .text = "Show the difference by op that a pass made: its name, its pipeline or the number of its file",
        .target = &flags->around},
       {.names = {"--all"}, .text = "Also list states with the same numbers as the one before", .target = &flags->all},
       format_option(flags->format, "text|json|csv|markdown"),
       output_option(flags->output),
       wide_option(flags->wide)});
  command.run = [flags, &context] { run_passes(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
