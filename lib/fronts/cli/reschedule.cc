#include <cmath>
#include <memory>

#include "hloroof/print.h"
#include "lib/base/strings.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/reschedule/reschedule_report.h"
#include "lib/reschedule/search.h"

namespace hloroof::internal::inline cli {
namespace {

struct RescheduleFlags {
  std::string file;
  Request predict;
  double seconds = RescheduleOptions().seconds;
  std::int64_t trials = 0;  // 0: as many as the seconds allow
  std::int64_t seed = RescheduleOptions().seed;
  std::int64_t memory_limit = 0;  // 0: that of the order that came in
  std::string format = "text";
  std::string output;  // of the module
  std::size_t limit = 20;
  bool wide = false;
};

std::string render_rescheduling(const RescheduleFlags& flags, const Rescheduling& result, const Context& context) {
  if (flags.format == "json") return reschedule_json(result);
  if (flags.format == "csv") return reschedule_csv(result);
  return reschedule_view(result, flags.limit, context.layout(flags.format, flags.wide));
}

void run_reschedule(const RescheduleFlags& flags, Context& context) {
  if (flags.output == "-") {
    return context.fail(invalid_argument("-o - would mix the module with the report; give the name of a file"));
  }
  if (!(flags.seconds >= 0) || !std::isfinite(flags.seconds)) {
    return context.fail(invalid_argument("--seconds must be a number of seconds that is not negative"));
  }
  absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context, LargeConstants::kKeep);
  if (!subject.ok()) return context.fail(subject.status());
  RescheduleOptions options;
  options.predict = subject->options;
  options.seconds = flags.seconds;
  options.seed = flags.seed;
  if (flags.trials > 0) options.trials = flags.trials;
  if (flags.memory_limit > 0) options.memory_limit = static_cast<double>(flags.memory_limit);
  const absl::StatusOr<Rescheduling> result = search_order(subject->module, subject->target, options);
  if (!result.ok()) return context.fail_prediction(result.status());
  OriginWarnings(context).add(subject->file, result->diagnostics);
  if (!flags.output.empty()) {
    const absl::Status status = write_output(context, flags.output, print_module(subject->module));
    if (!status.ok()) return context.fail(status);
  }
  const absl::Status status = write_output(context, "", render_rescheduling(flags, *result, context));
  if (!status.ok()) context.fail(status);
}

}  // namespace

Command reschedule_command(Context& context) {
  auto flags = std::make_shared<RescheduleFlags>();
  Command command{.name = "reschedule",
                  .text =
                      "Searches the legal orders of a scheduled module for the least predicted step, and says what it "
                      "moved and why"};
  command.positionals = {{.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true}};
  command.options = prediction_options(flags->predict);
  append(
      command.options,
      {{.names = {"-o", "--output"},
        .argument = "OUT",
        .text = "Write the module in the best order found to OUT, as HLO text",
        .target = &flags->output},
       {.names = {"--seconds"}, .argument = "S", .text = "Search for S seconds; default: 5", .target = &flags->seconds},
       {.names = {"--trials"},
        .argument = "N",
        .text = "End the search after N predicted orders, if the seconds have not ended it before. Runs with the same "
                "N and seed find the same order",
        .target = &flags->trials,
        .least = 1},
       {.names = {"--seed"}, .argument = "N", .text = "Seed of the random moves; default: 1", .target = &flags->seed},
       {.names = {"--memory-limit"},
        .argument = "BYTES",
        .text = "Peak of HBM that no order may exceed; default: that of FILE",
        .target = &flags->memory_limit,
        .least = 1},
       format_option(flags->format, "text|json|csv|markdown"),
       limit_option(flags->limit, "moves"),
       wide_option(flags->wide)});
  command.run = [flags, &context] { run_reschedule(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
