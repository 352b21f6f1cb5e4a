#include <memory>
#include <utility>

#include "lib/explain/kernel_report.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/table_command.h"

namespace hloroof::internal {
namespace {

constexpr TableFormats<KernelReport> kKernelFormats = {
    kernel_json, kernel_csv, kernel_view, [](const KernelReport& report) -> const std::string& { return report.file; }};

void run_kernel(const TableFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  OriginWarnings warnings(context);
  std::vector<KernelReport> reports;
  const bool done =
      predict_all(*subjects, Detail::kAll, context, [&](const std::string& file, StepPrediction prediction) {
        warnings.add(file, prediction.diagnostics);
        reports.push_back(kernel_report(file, std::move(prediction)));
      });
  if (done) write_tables(flags, reports, kKernelFormats, context);
}

}  // namespace

Command kernel_command(Context& context) {
  auto flags = std::make_shared<TableFlags>();
  Command command{.name = "kernel", .text = "Lists the Pallas kernels: grid, time by unit, VMEM, and what is assumed"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  command.options.push_back(jobs_option(flags->predict));
  append(command.options, table_options(*flags, "kernels"));
  command.run = [flags, &context] { run_kernel(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
