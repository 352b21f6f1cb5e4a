#include <memory>

#include "lib/cli/origin_warnings.h"
#include "lib/cli/subjects.h"
#include "lib/report/explain.h"

namespace hloroof::internal {
namespace {

struct ExplainFlags {
  std::string file;
  std::string op;
  PredictFlags predict;
};

void run_explain(const ExplainFlags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(subject->module, subject->target, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  OriginWarnings(context).add(subject->file, *prediction);
  const absl::StatusOr<std::string> text = explain(*prediction, flags.op);
  if (!text.ok()) return context.fail(text.status());
  context.out << *text;
}

}  // namespace

Command explain_command(Context& context) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command{.name = "explain",
                  .text = "Explains one instruction: what its text says, its bytes, its time, its mesh axes"};
  command.positionals = {{.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true},
                         {.names = {"OP"}, .text = "Name of the instruction", .target = &flags->op, .required = true}};
  command.options = prediction_options(flags->predict);
  command.run = [flags, &context] { run_explain(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
