#include "lib/versions/passes.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/page/passes_page.h"
#include "lib/versions/compare_passes.h"
#include "lib/versions/diff.h"
#include "lib/versions/pass_text.h"

namespace hloroof::internal {
namespace {

struct PassesFlags {
  std::vector<std::string> folders;
  Request predict;
  std::string module;
  std::string around;
  std::string format = "text";
  std::string output;
  bool all = false;
  bool wide = false;
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

// The difference by op between the states of two files.
absl::StatusOr<std::string> difference_of(const std::string& before_file, const std::string& after_file,
                                          const PassesFlags& flags, const Subjects& subjects, Context& context) {
  if (flags.format == "html") return invalid_argument("--around has no page; use --format text, json, csv or markdown");
  const absl::StatusOr<PredictedState> before = predict_state(before_file, subjects, context);
  if (!before.ok()) return before.status();
  const absl::StatusOr<PredictedState> after = predict_state(after_file, subjects, context);
  if (!after.ok()) return after.status();
  const TextLayout layout = context.layout(flags.format, flags.wide, flags.output);
  DiffOptions options;
  options.width = layout.width;
  Difference difference = find_difference(before->step, after->step, options);
  difference.before_file = before_file;
  difference.after_file = after_file;
  if (flags.format == "json") return diff_json(difference);
  if (flags.format == "csv") return diff_csv(difference);
  return layout.markdown ? diff_markdown(difference, options) : diff_view(difference, options);
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
absl::StatusOr<std::string> render_passes(const PassesFlags& flags, const Dumps& dumps, const Subjects& subjects,
                                          Context& context) {
  if (!flags.around.empty()) {
    const absl::StatusOr<std::size_t> at = find_pass(dumps, flags.around);
    if (!at.ok()) return at.status();
    const absl::StatusOr<PredictedState> last = predict_state(dumps.back().path, subjects, context);
    if (last.ok()) OriginWarnings(context).add(dumps.back().path, last->step.diagnostics);
    return difference_of(dumps[*at - 1].path, dumps[*at].path, flags, subjects, context);
  }
  const absl::StatusOr<PassReport> report = report_of(flags.folders[0], dumps, subjects, context);
  if (!report.ok()) return report.status();
  if (flags.format == "json") return passes_json(*report);
  if (flags.format == "csv") return passes_csv(*report);
  if (flags.format == "html") return passes_html(*report);
  return passes_view(*report, flags.all, context.layout(flags.format, flags.wide, flags.output));
}

// Two compiles.
absl::StatusOr<std::string> render_comparison(const PassesFlags& flags, const Dumps& before_dumps,
                                              const Subjects& subjects, Context& context) {
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
    return difference_of(comparison->before.rows[*pair.before.row].file, comparison->after.rows[*pair.after.row].file,
                         flags, subjects, context);
  }
  if (flags.format == "json") return pass_comparison_json(*comparison);
  if (flags.format == "csv") return pass_comparison_csv(*comparison);
  if (flags.format == "html") return pass_comparison_html(*comparison);
  return pass_comparison_view(*comparison, flags.all, context.layout(flags.format, flags.wide, flags.output));
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
  const absl::StatusOr<std::string> text = flags.folders.size() == 1
                                               ? render_passes(flags, *dumps, *subjects, context)
                                               : render_comparison(flags, *dumps, *subjects, context);
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
          "of --xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*, or where two compiles of a module "
          "part and which passes made their difference"};
  command.positionals = {{.names = {"FOLDER"},
                          .text = "Folder of the dumps of one compile, or two folders: before and after",
                          .target = &flags->folders,
                          .required = true}};
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
       format_option(flags->format, "text|json|csv|markdown|html", "html is one page with a chart"),
       output_option(flags->output),
       jobs_option(flags->predict),
       wide_option(flags->wide)});
  command.run = [flags, &context] { run_passes(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
