#include <memory>

#include "lib/cli/origin_warnings.h"
#include "lib/cli/subjects.h"
#include "lib/report/kernel_report.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

struct KernelFlags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

std::string kernel_text(const std::vector<KernelReport>& reports, const ViewOptions& view) {
  std::string text;
  for (const KernelReport& report : reports) {
    if (reports.size() > 1)
      text += (text.empty() ? "" : "\n") + std::string(view.markdown ? "### " : "") + report.file + "\n";
    text += kernel_view(report, view);
  }
  return text;
}

void run_kernel(const KernelFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  OriginWarnings warnings(context);
  std::vector<KernelReport> reports;
  const bool done = predict_all(*subjects, context, [&](const std::string& file, StepPrediction prediction) {
    warnings.add(file, prediction);
    reports.push_back(kernel_report(file, std::move(prediction)));
  });
  if (!done) return;
  ViewOptions view;
  view.width = context.width(flags.wide, flags.output);
  view.color = context.terminal.color;
  view.markdown = flags.format == "markdown";
  view.rows.limit = flags.limit;
  const std::string text = flags.format == "json"  ? kernel_json(reports)
                           : flags.format == "csv" ? kernel_csv(reports)
                                                   : kernel_text(reports, view);
  if (absl::Status status = write_output(context, flags.output, text); !status.ok()) context.fail(status);
}

}  // namespace

Command kernel_command(Context& context) {
  auto flags = std::make_shared<KernelFlags>();
  Command command{.name = "kernel", .text = "Lists the Pallas kernels: grid, time by unit, VMEM, and what is assumed"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  append(command.options, {format_option(flags->format, "text|json|csv|markdown"), output_option(flags->output),
                           limit_option(flags->limit, "kernels"), wide_option(flags->wide)});
  command.run = [flags, &context] { run_kernel(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
