#include <memory>

#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct ExplainFlags {
  std::string file;
  std::string op;
  Request predict;
  AnswerFlags answer;
};

void run_explain(const ExplainFlags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file, context);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<StepPrediction> prediction =
      predict_step_time(subject->module, subject->target, subject->options);
  if (!prediction.ok()) return context.fail_prediction(prediction.status());
  OriginWarnings(context).add(subject->file, prediction->diagnostics);
  write_answer(ExplainedOp{&*prediction, flags.op}, flags.answer, context);
}

}  // namespace

Command explain_command(Context& context) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command{.name = "explain",
                  .text = "Explains one instruction: what its text says, its bytes, its time, its mesh axes"};
  command.positionals = {
      {.names = {"FILE"}, .text = "HLO text", .target = &flags->file, .required = true, .reads = Reads::kFile},
      {.names = {"OP"},
       .text = "Name of the instruction, an end of it such as .11, or a name as a table shortens it",
       .target = &flags->op,
       .required = true}};
  command.options = prediction_options(flags->predict);
  append(command.options, {answer_format_option(flags->answer, "explain", "csv has a line for each term of the time"),
                           output_option(flags->answer.output), wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_explain(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
