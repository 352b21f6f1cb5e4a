#include <cmath>
#include <memory>

#include "hloroof/analysis.h"
#include "hloroof/cost.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/ir/rows.h"
#include "lib/report/counts_report.h"
#include "lib/step/facts.h"
#include "lib/work/custom_call.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline cli {
namespace {

struct CountsFlags {
  std::vector<std::string> files;
  Request work;
  std::string convention = "xla";
  std::string format = "text";
  std::string output;
  std::string sort = "bytes";
  std::string group_by;
  std::size_t limit = 10;
  bool wide = false;
};

absl::StatusOr<CountsReport> count(const Module& module, const CountsFlags& flags, const PredictOptions& options) {
  const CallOptions of_calls = call_options(options);
  if (absl::Status status = check_call_options(module, of_calls); !status.ok()) return status;
  if (absl::Status status = check_custom_call_costs(module, options.custom_calls); !status.ok()) return status;
  if (absl::Status status = check_kernel_lists(module, options.kernel_lists); !status.ok()) return status;
  if (flags.convention == "xla") {
    XlaCountOptions as_xla_adds;
    as_xla_adds.float32 = true;  // makes the totals equal to those of cost_analysis() to the last bit
    const absl::StatusOr<ModuleCounts> counts = count_xla(module, as_xla_adds);
    if (!counts.ok()) return counts.status();
    return counts_report(module, *counts);
  }
  if (!module.has_entry())
    return invalid_argument(ModuleRows::path(module) + ": error: the module has no ENTRY computation");
  const CallGraph calls = analyze_calls(module, of_calls);
  WorkOptions work_options;
  work_options.custom_calls = options.custom_calls;
  work_options.kernel_lists = options.kernel_lists;
  return counts_report(module, calls, compute_work(module, calls, work_options));
}

// FailedPrecondition if --strict is given and something is not counted.
absl::StatusOr<CountsReport> count_file(const std::string& file, const CountsFlags& flags,
                                        const PredictOptions& options, Context& context) {
  const absl::StatusOr<Module> module = read_module(file, context);
  // A file that cannot be opened is bad input, and not incomplete.
  if (!module.ok()) return invalid_argument(from_absl(module.status().message()));
  absl::StatusOr<CountsReport> report = count(*module, flags, options);
  if (report.ok() && !(std::isfinite(report->flops) && std::isfinite(report->transcendentals) &&
                       std::isfinite(report->bytes_accessed))) {
    return out_of_range(ModuleRows::path(*module) +
                        ": error: the counts overflow: calls and loops repeat the work too often for a number");
  }
  if (report.ok() && options.strict && !report->unknown.empty()) {
    return absl::FailedPreconditionError(to_absl(file + ": not counted in full: " + report->unknown.front()));
  }
  return report;
}

absl::StatusOr<std::string> render(const CountsFlags& flags, const std::vector<std::string>& files,
                                   const std::vector<CountsReport>& reports, std::size_t width) {
  if (flags.format == "json") return counts_json(reports);
  if (flags.format == "csv") return counts_csv(reports);
  CountsTextOptions text;
  text.limit = flags.limit;
  text.width = width;
  text.markdown = flags.format == "markdown";
  text.order = *counts_order_from_string(flags.sort);  // the parser accepts no other value
  return reports.size() == 1 ? counts_text(reports.front(), text) : counts_table(files, reports, text);
}

void run_counts(const CountsFlags& flags, Context& context) {
  const std::optional<GroupBy> group = group_by_from_string(flags.group_by);
  if (const std::string given = given_work_option(flags.work); flags.convention == "xla" && !given.empty()) {
    return context.fail(
        invalid_argument(given + " changes only --convention physical; XLA counts each loop body once"));
  }
  const absl::StatusOr<PredictOptions> options = predict_options(flags.work);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  std::vector<std::string> counted;  // files, as far as they could be read
  std::vector<CountsReport> reports;
  counted.reserve(files->size());
  reports.reserve(files->size());
  for (const std::string& file : *files) {
    absl::StatusOr<CountsReport> report = count_file(file, flags, *options, context);
    if (!report.ok()) {
      context.fail_prediction(report.status());
      continue;
    }
    if (group) group_rows(*report, *group);
    counted.push_back(file);
    reports.push_back(*std::move(report));
  }
  if (reports.empty()) return;
  const absl::StatusOr<std::string> text = render(flags, counted, reports, context.width(flags.wide, flags.output));
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

Command counts_command(Context& context) {
  auto flags = std::make_shared<CountsFlags>();
  Command command{.name = "counts", .text = "Counts FLOPs, transcendentals and bytes; needs no device"};
  command.positionals = {files_argument(flags->files)};
  command.options = {{.names = {"--convention"},
                      .argument = "xla|physical",
                      .text = "xla counts as XLA's cost_analysis() does; physical multiplies loop bodies by their trip "
                              "counts and counts padded bytes",
                      .target = &flags->convention}};
  append(command.options, as_rare(work_options(flags->work)));
  command.options.push_back(option_of(OptionId::kStrict, flags->work));
  append(command.options, {format_option(flags->format, "text|json|csv|markdown"),
                           output_option(flags->output),
                           limit_option(flags->limit, "rows"),
                           {.names = {"--sort"},
                            .argument = "bytes|flops|transcendentals|program",
                            .text = "Order of the rows",
                            .target = &flags->sort},
                           {.names = {"--group-by"},
                            .argument = "computation|category|op_name|source|layer",
                            .text = "Print one row for all ops that share this",
                            .target = &flags->group_by},
                           wide_option(flags->wide)});
  command.run = [flags, &context] { run_counts(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
