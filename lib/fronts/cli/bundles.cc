#include <memory>
#include <string>
#include <utility>

#include "lib/code/code_folder.h"
#include "lib/explain/code_report.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct BundlesFlags {
  std::string folder;
  Request predict;
  AnswerFlags answer;
};

// Reads the files of `folder` into `report`. Reports each that fails, and continues.
bool read_code(const CodeFolder& folder, const Device& device, CodeReport& report, Context& context) {
  for (const CodeFile& file : folder.files) {
    absl::StatusOr<CodeRow> row = code_row(file, device, context.max_bytes);
    if (row.ok()) {
      report.rows.push_back(*std::move(row));
    } else {
      context.fail(row.status());
    }
  }
  return !report.rows.empty();
}

void run_bundles(const BundlesFlags& flags, Context& context) {
  const absl::StatusOr<Target> target = find_one_target(flags.predict);
  if (!target.ok()) return context.fail(target.status());
  absl::StatusOr<CodeReport> report = start_code_report(flags.folder, target->device);
  if (!report.ok()) return context.fail(report.status());
  const absl::StatusOr<CodeFolder> folder = find_code(flags.folder);
  if (!folder.ok()) return context.fail(folder.status());
  if (!read_code(*folder, target->device, *report, context)) return;
  // The program is optional: without it the operations have no source lines and no time to compare with.
  for (const std::string& path : folder->modules) {
    const absl::StatusOr<Module> module = read_module(path, context);
    if (!module.ok()) continue;
    add_sources(*module, report->rows);
    const absl::StatusOr<StepPrediction> step = predict_step_time(*module, *target, PredictOptions());
    if (step.ok()) add_model_times(*step, report->rows);
  }
  sort_code(report->rows);
  write_answer(CodeOfProgram{&*report}, flags.answer, context);
}

}  // namespace

Command bundles_command(Context& context) {
  auto flags = std::make_shared<BundlesFlags>();
  Command command{
      .name = "bundles",
      .text =
          "Follows the final code of a TPU program, op by op: cycles by unit, empty bundles, spills, transfers and "
          "waits, from the dump that libtpu writes with LIBTPU_INIT_ARGS=\"--xla_jf_dump_to=FOLDER "
          "--xla_jf_dump_llo_text=true --xla_jf_dump_llo_pass_label_regex=packed-bundles-post-ra\""};
  command.positionals = {{.names = {"FOLDER"},
                          .text = "Folder of the dump, or one file of code in it",
                          .target = &flags->folder,
                          .required = true,
                          .reads = Reads::kFile}};
  command.options = {device_option(flags->predict)};
  append(command.options, {answer_format_option(flags->answer, "bundles"), output_option(flags->answer.output),
                           limit_option(flags->answer.limit, "ops"), wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_bundles(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
