#include "lib/explain/explain.h"

#include <memory>

#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal {
namespace {

struct ExplainFlags {
  std::string file;
  std::string op;
  Request predict;
  std::string format = "text";
  std::string output;
  bool wide = false;
};

void run_explain(const ExplainFlags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(subject->module, subject->target, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  OriginWarnings(context).add(subject->file, prediction->diagnostics);
  const absl::StatusOr<std::string> text =
      flags.format == "json"       ? explanation_json(*prediction, flags.op)
      : flags.format == "csv"      ? explanation_csv(*prediction, flags.op)
      : flags.format == "markdown" ? explanation_markdown(*prediction, flags.op)
                                   : explanation_text(*prediction, flags.op, context.width(flags.wide, flags.output));
  if (!text.ok()) return context.fail(text.status());
  if (absl::Status status = write_output(context, flags.output, *text); !status.ok()) context.fail(status);
}

}  // namespace

Command explain_command(Context& context) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command{.name = "explain",
                  .text = "Explains one instruction: what its text says, its bytes, its time, its mesh axes"};
  command.positionals = {{.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true},
                         {.names = {"OP"},
                          .text = "Name of the instruction, an end of it such as .11, or a name as a table shortens it",
                          .target = &flags->op,
                          .required = true}};
  command.options = prediction_options(flags->predict);
  append(command.options,
         {format_option(flags->format, "text|json|csv|markdown", "csv has a line for each term of the time"),
          output_option(flags->output), wide_option(flags->wide)});
  command.run = [flags, &context] { run_explain(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
