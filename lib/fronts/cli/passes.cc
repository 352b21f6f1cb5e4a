#include "lib/versions/passes.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/diff.h"
#include "lib/versions/pass_text.h"

namespace hloroof::internal::inline cli {
namespace {

struct PassesFlags {
  std::vector<std::string> folders;
  Request predict;
  std::string module;
  std::string around;
  AnswerFlags answer;
  bool all = false;
};

using Dumps = std::vector<PassDump>;

// A state of the module with its prediction, which refers to it.
struct PredictedState {
  std::unique_ptr<const Module> module;
  StepPrediction step;
};

absl::StatusOr<PredictedState> predict_state(const std::string& file, const Subjects& subjects, Context& context) {
  absl::StatusOr<Module> module = read_module(file, context);
  if (!module.ok()) return module.status();
  PredictedState state;
  state.module = std::make_unique<const Module>(*std::move(module));
  absl::StatusOr<StepPrediction> step = predict_step_time(*state.module, subjects.targets[0], subjects.options);
  if (!step.ok()) return step.status();
  state.step = *std::move(step);
  return state;
}

// Writes the difference by op between the states of two files.
absl::Status write_difference(const std::string& before_file, const std::string& after_file, const PassesFlags& flags,
                              const Subjects& subjects, Context& context) {
  if (flags.answer.format == "html")
    return invalid_argument("--around has no page; use --format text, json, csv or markdown");
  const absl::StatusOr<PredictedState> before = predict_state(before_file, subjects, context);
  if (!before.ok()) return before.status();
  const absl::StatusOr<PredictedState> after = predict_state(after_file, subjects, context);
  if (!after.ok()) return after.status();
  Difference difference = find_difference(before->step, after->step, DiffOptions());
  difference.before_file = before_file;
  difference.after_file = after_file;
  write_answer(ComparedSteps{&difference}, flags.answer, context);
  return absl::OkStatus();
}

absl::StatusOr<PassReport> report_of(const std::string& folder, const Dumps& dumps, const Subjects& subjects,
                                     Context& context) {
  ParseOptions parsing;
  parsing.max_bytes = context.max_bytes;
  absl::StatusOr<PassReport> report =
      pass_report(folder, dumps, subjects.targets[0], subjects.options, parsing, subjects.jobs);
  if (report.ok()) OriginWarnings(context).add(dumps.back().path, report->diagnostics);
  return report;
}

// One compile.
absl::Status write_passes(const PassesFlags& flags, const Dumps& dumps, const Subjects& subjects, Context& context) {
  if (!flags.around.empty()) {
    const absl::StatusOr<std::size_t> at = find_pass(dumps, flags.around);
    if (!at.ok()) return at.status();
    const absl::StatusOr<PredictedState> last = predict_state(dumps.back().path, subjects, context);
    if (last.ok()) OriginWarnings(context).add(dumps.back().path, last->step.diagnostics);
    return write_difference(dumps[*at - 1].path, dumps[*at].path, flags, subjects, context);
  }
  const absl::StatusOr<PassReport> report = report_of(flags.folders[0], dumps, subjects, context);
  if (!report.ok()) return report.status();
  write_answer(PassesOfCompile{&*report, flags.all}, flags.answer, context);
  return absl::OkStatus();
}

// Two compiles.
absl::Status write_comparison(const PassesFlags& flags, const Dumps& before_dumps, const Subjects& subjects,
                              Context& context) {
  const absl::StatusOr<Dumps> after_dumps = find_same_dumps(flags.folders[1], before_dumps[0], flags.module);
  if (!after_dumps.ok()) return after_dumps.status();
  absl::StatusOr<PassReport> before = report_of(flags.folders[0], before_dumps, subjects, context);
  if (!before.ok()) return before.status();
  absl::StatusOr<PassReport> after = report_of(flags.folders[1], *after_dumps, subjects, context);
  if (!after.ok()) return after.status();
  const absl::StatusOr<PassComparison> comparison = compare_passes(*std::move(before), *std::move(after));
  if (!comparison.ok()) return comparison.status();
  if (!flags.around.empty()) {
    const absl::StatusOr<std::size_t> at = find_pass_pair(*comparison, flags.around);
    if (!at.ok()) return at.status();
    const PassPair& pair = comparison->rows[*at];
    return write_difference(comparison->before.rows[*pair.before.row].file,
                            comparison->after.rows[*pair.after.row].file, flags, subjects, context);
  }
  write_answer(PassesOfTwoCompiles{&*comparison, flags.all}, flags.answer, context);
  return absl::OkStatus();
}

void run_passes(const PassesFlags& flags, Context& context) {
  if (flags.folders.size() > 2) {
    return context.fail(invalid_argument(absl::StrCat("passes reads the dumps of one compile or compares two, not ",
                                                      flags.folders.size(), ": leave out ", flags.folders[2])));
  }
  const absl::StatusOr<Dumps> dumps = find_pass_dumps(flags.folders[0], flags.module);
  if (!dumps.ok()) return context.fail(dumps.status());
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, {dumps->back().path}, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  const absl::Status status = flags.folders.size() == 1 ? write_passes(flags, *dumps, *subjects, context)
                                                        : write_comparison(flags, *dumps, *subjects, context);
  if (!status.ok()) context.fail(status);
}

}  // namespace

Command passes_command(Context& context) {
  auto flags = std::make_shared<PassesFlags>();
  Command command{
      .name = "passes",
      .text =
          "Shows what each pass of a compile did to step time, memory, collectives and copies, from the dumps "
          "of --xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*, or where two compiles of a module "
          "part and which passes made their difference"};
  command.positionals = {{.names = {"FOLDER"},
                          .text = "Folder of the dumps of one compile, or two folders: before and after",
                          .target = &flags->folders,
                          .required = true,
                          .reads = Reads::kFile}};
  command.options = prediction_options(flags->predict);
  append(
      command.options,
      {{.names = {"--module"},
        .argument = "NAME",
        .text = "A part of the name of one of several modules; default: the one with the most bytes",
        .target = &flags->module},
       {.names = {"--around"},
        .argument = "PASS",
        .text = "Show the difference by op that a pass made, or between two compiles after it: its name, its pipeline "
                "or the number of its file",
        .target = &flags->around},
       {.names = {"--all"},
        .text = "Also list states with the same numbers as the one before, or with the same difference",
        .target = &flags->all},
       answer_format_option(flags->answer, "passes", "html is one page with a chart"),
       output_option(flags->answer.output),
       jobs_option(flags->predict),
       wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_passes(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
