#include "hloroof/counts.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "hloroof/analysis.h"
#include "lib/base/strings.h"
#include "lib/cli/subjects.h"
#include "lib/cost/custom_call.h"
#include "lib/cost/work.h"
#include "lib/report/counts_report.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  PredictFlags work;
  std::string convention = "xla";
  std::string format = "text";
  std::string output;
  std::string sort = "bytes";
  std::string group_by;
  std::size_t limit = 10;
  bool wide = false;
};

absl::StatusOr<CountsReport> count(const Module& module, const Flags& flags, const PredictOptions& options) {
  CallOptions call_options;
  call_options.trip_counts = options.trip_counts;
  call_options.default_trip_count = options.default_trip_count;
  call_options.branch_probabilities = options.branch_probabilities;
  if (absl::Status status = check_call_options(module, call_options); !status.ok()) return status;
  if (absl::Status status = check_custom_call_costs(options.custom_calls); !status.ok()) return status;
  if (flags.convention == "xla") {
    XlaCountOptions as_xla_adds;
    as_xla_adds.float32 = true;  // so that the totals are those of cost_analysis() to the last bit
    const absl::StatusOr<ModuleCounts> counts = count_xla(module, as_xla_adds);
    if (!counts.ok()) return counts.status();
    return counts_report(module, *counts);
  }
  if (!module.has_entry()) return invalid_argument(module.path() + ": error: the module has no ENTRY computation");
  const CallGraph calls = analyze_calls(module, call_options);
  WorkOptions work_options;
  work_options.custom_calls = options.custom_calls;
  return counts_report(module, calls, compute_work(module, calls, work_options));
}

absl::StatusOr<std::string> render(const Flags& flags, const std::vector<std::string>& files,
                                   const std::vector<CountsReport>& reports) {
  if (flags.format == "json") return counts_json(reports);
  if (flags.format == "csv") return counts_csv(reports);
  CountsTextOptions text;
  text.limit = flags.limit;
  text.width = flags.wide ? 0 : 80;
  text.order = *counts_order_from_string(flags.sort);  // the option takes no other
  return reports.size() == 1 ? counts_text(reports.front(), text) : counts_table(files, reports, text.width);
}

void run(const Flags& flags, Context& context) {
  const std::optional<GroupBy> group = group_by_from_string(flags.group_by);
  const absl::StatusOr<PredictOptions> options = predict_options(flags.work);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  std::vector<CountsReport> reports;
  for (const std::string& file : *files) {
    const absl::StatusOr<Module> module = load_module(file, reading_options());
    if (!module.ok()) return context.fail(module.status());
    absl::StatusOr<CountsReport> report = count(*module, flags, *options);
    if (!report.ok()) return context.fail(report.status());
    if (options->strict && !report->unknown.empty()) {
      return context.fail(
          absl::FailedPreconditionError(to_absl(file + ": not counted in full: " + report->unknown.front())),
          kExitIncomplete);
    }
    if (group) group_rows(*report, *group);
    reports.push_back(*std::move(report));
  }
  const absl::StatusOr<std::string> text = render(flags, *files, reports);
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

void add_counts(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("counts", "FLOPs, transcendentals and bytes, without a device");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files);
  add_choice(*command, "--convention", flags->convention, "xla|physical",
             "xla: what cost_analysis() says; physical: loops times trips, padded bytes");
  add_work_flags(*command, flags->work);
  add_choice(*command, "--format", flags->format, "text|json|csv", "What to print");
  add_output(*command, flags->output);
  add_limit(*command, flags->limit, "Rows");
  add_choice(*command, "--sort", flags->sort, "bytes|flops|transcendentals|program", "Order of the ops");
  add_choice(*command, "--group-by", flags->group_by, "computation|category|op_name|source|layer", "One row a group");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
