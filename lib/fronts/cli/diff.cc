#include "lib/versions/diff.h"

#include <filesystem>
#include <memory>

#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"
#include "lib/input/module_choice.h"

namespace hloroof::internal::inline cli {
namespace {

struct DiffFlags {
  std::string before;
  std::string after;
  Request predict;
  AnswerFlags answer;
  std::string group_by = "none";
  std::vector<std::string> fail_if;
};

// Finds one side of the comparison: FILE, or FILE@DEVICE if there is no file with the whole name.
absl::StatusOr<Subject> find_diff_side(const Request& flags, const std::string& text, Context& context) {
  std::error_code error;
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || std::filesystem::exists(text, error)) return find_subject(flags, text, context);
  Request of_side = flags;
  of_side.devices = {text.substr(at + 1)};
  const std::string file = text.substr(0, at);
  return find_subject(of_side, file == kStandardInput ? "-" : file, context);
}

void run_diff(const DiffFlags& flags, Context& context) {
  std::vector<Gate> gates;
  for (const std::string& text : flags.fail_if) {
    absl::StatusOr<Gate> gate = parse_gate(text);
    if (!gate.ok()) return context.fail(gate.status());
    gates.push_back(*std::move(gate));
  }
  // The predictions refer to the modules of the subjects.
  const absl::StatusOr<Subject> subjects[] = {find_diff_side(flags.predict, flags.before, context),
                                              find_diff_side(flags.predict, flags.after, context)};
  OriginWarnings warnings(context);
  std::vector<StepPrediction> predictions;
  for (const absl::StatusOr<Subject>& subject : subjects) {
    if (!subject.ok()) return context.fail(subject.status());
    absl::StatusOr<StepPrediction> prediction = predict_step_time(subject->module, subject->target, subject->options);
    if (!prediction.ok()) return context.fail_prediction(prediction.status());
    warnings.add(subject->file, prediction->diagnostics);
    predictions.push_back(*std::move(prediction));
  }
  DiffOptions options;
  options.group = *group_by_from_string(flags.group_by);  // the parser accepts no other value
  Difference difference = find_difference(predictions[0], predictions[1], options);
  difference.before_file = subjects[0]->file;
  difference.after_file = subjects[1]->file;
  for (const Gate& gate : gates) difference.gates.push_back(check_gate(gate, predictions[0], predictions[1]));
  if (!write_answer(ComparedSteps{&difference}, flags.answer, context)) return;
  for (const GateResult& gate : difference.gates) {
    if (!gate.failed) continue;
    context.err << "hloroof: gate failed: " << gate.condition << ": " << gate.finding << '\n';
    context.exit_code = kExitGateFailed;
  }
}

}  // namespace

Command diff_command(Context& context) {
  auto flags = std::make_shared<DiffFlags>();
  Command command{.name = "diff", .text = "Shows what changed between two modules or devices, by category and op"};
  command.positionals = {{.names = {"OLD"},
                          .text = "HLO text before the change; FILE@DEVICE names a device for this side",
                          .target = &flags->before,
                          .required = true,
                          .reads = Reads::kFile},
                         {.names = {"NEW"},
                          .text = "HLO text after the change, or FILE@DEVICE",
                          .target = &flags->after,
                          .required = true,
                          .reads = Reads::kFile}};
  command.options = prediction_options(flags->predict);
  append(command.options,
         {{.names = {"--fail-if"},
           .argument = "'step>+2%'",
           .text = "Exit with 3 if this condition on step, exposed, memory, flops, hbm, wire or mfu holds: a "
                   "relative change as here, an absolute one (step>+1ms) or a value (memory>15GiB); may be "
                   "repeated",
           .target = &flags->fail_if},
          answer_format_option(flags->answer, "diff", "markdown is for the comment of a pull request"),
          output_option(flags->answer.output),
          {.names = {"--group-by"},
           .argument = "none|computation|category|op_name|source|layer",
           .text = "Print one row for all ops that share this",
           .target = &flags->group_by},
          limit_option(flags->answer.limit, "ops or groups"),
          wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_diff(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
