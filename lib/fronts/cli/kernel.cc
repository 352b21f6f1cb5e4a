#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/explain/kernel_report.h"
#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct KernelFlags {
  std::vector<std::string> files;
  Request predict;
  AnswerFlags answer;
};

void run_kernel(const KernelFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  OriginWarnings warnings(context);
  std::vector<KernelReport> reports;
  const bool done =
      predict_all(*subjects, Detail::kAll, context, [&](const std::string& file, StepPrediction prediction) {
        warnings.add(file, prediction.diagnostics);
        reports.push_back(kernel_report(file, std::move(prediction)));
      });
  if (done) write_answer(KernelsOfSteps{&reports}, flags.answer, context);
}

}  // namespace

Command kernel_command(Context& context) {
  auto flags = std::make_shared<KernelFlags>();
  Command command{.name = "kernel", .text = "Lists the Pallas kernels: grid, time by unit, VMEM, and what is assumed"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  command.options.push_back(jobs_option(flags->predict));
  append(command.options, {answer_format_option(flags->answer, "kernel"), output_option(flags->answer.output),
                           limit_option(flags->answer.limit, "kernels"), wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_kernel(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
