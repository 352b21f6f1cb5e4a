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

// A state of the module with its prediction, which refers to it.
struct PredictedState {
  std::unique_ptr<const Module> module;
  StepPrediction step;
};

absl::StatusOr<PredictedState> predict_state(const PassDump& dump, const Subjects& subjects, Context& context) {
  absl::StatusOr<Module> module = read_module(dump.path, context);
  if (!module.ok()) return module.status();
  PredictedState state;
  state.module = std::make_unique<const Module>(*std::move(module));
  absl::StatusOr<StepPrediction> step = predict_step_time(*state.module, subjects.targets[0], subjects.options);
  if (!step.ok()) return step.status();
  state.step = *std::move(step);
  return state;
}

// The difference by op between the states before and after pass `at`.
absl::StatusOr<std::string> difference_around(const std::vector<PassDump>& dumps, std::size_t at,
                                              const Subjects& subjects, const TextLayout& layout, Context& context) {
  const absl::StatusOr<PredictedState> last = predict_state(dumps.back(), subjects, context);
  if (last.ok()) OriginWarnings(context).add(dumps.back().path, last->step.diagnostics);
  const absl::StatusOr<PredictedState> before = predict_state(dumps[at - 1], subjects, context);
  if (!before.ok()) return before.status();
  const absl::StatusOr<PredictedState> after = predict_state(dumps[at], subjects, context);
  if (!after.ok()) return after.status();
  DiffOptions options;
  options.width = layout.width;
  Difference difference = find_difference(before->step, after->step, options);
  difference.before_file = dumps[at - 1].path;
  difference.after_file = dumps[at].path;
  return layout.markdown ? diff_markdown(difference, options) : diff_view(difference, options);
}

absl::StatusOr<std::string> render(const PassesFlags& flags, const std::vector<PassDump>& dumps,
                                   const Subjects& subjects, Context& context) {
  const TextLayout layout = context.layout(flags.format, flags.wide, flags.output);
  if (!flags.around.empty()) {
    const absl::StatusOr<std::size_t> at = find_pass(dumps, flags.around);
    if (!at.ok()) return at.status();
    return difference_around(dumps, *at, subjects, layout, context);
  }
  ParseOptions parsing;
  parsing.max_bytes = context.max_bytes;
  const absl::StatusOr<PassReport> report =
      pass_report(flags.folder, dumps, subjects.targets[0], subjects.options, parsing);
  if (!report.ok()) return report.status();
  OriginWarnings(context).add(dumps.back().path, report->diagnostics);
  if (flags.format == "json") return passes_json(*report);
  if (flags.format == "csv") return passes_csv(*report);
  return passes_view(*report, flags.all, layout);
}

void run_passes(const PassesFlags& flags, Context& context) {
  const absl::StatusOr<std::vector<PassDump>> dumps = find_pass_dumps(flags.folder, flags.module);
  if (!dumps.ok()) return context.fail(dumps.status());
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, {dumps->back().path}, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  const absl::StatusOr<std::string> text = render(flags, *dumps, *subjects, context);
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
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
