#include "lib/report/diff.h"

#include <memory>

#include "lib/cli/subjects.h"

namespace hloroof::internal {
namespace {

struct DiffFlags {
  std::string before;
  std::string after;
  PredictFlags predict;
  DiffOptions diff;
  std::vector<std::string> fail_if;
  bool wide = false;
};

void run_diff(const DiffFlags& flags, Context& context) {
  std::vector<Gate> gates;
  for (const std::string& text : flags.fail_if) {
    absl::StatusOr<Gate> gate = parse_gate(text);
    if (!gate.ok()) return context.fail(gate.status());
    gates.push_back(*std::move(gate));
  }
  std::vector<std::string> files;
  for (const std::string* path : {&flags.before, &flags.after}) {
    absl::StatusOr<std::string> file = expand_to_one(*path);
    if (!file.ok()) return context.fail(file.status());
    files.push_back(*std::move(file));
  }
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  std::vector<StepPrediction> predictions;
  const bool done = predict_all(*subjects, context, [&](const std::string&, StepPrediction prediction) {
    prediction.facts.reset();
    predictions.push_back(std::move(prediction));
  });
  if (!done) return;
  DiffOptions diff = flags.diff;
  if (flags.wide) diff.width = 0;
  context.out << diff_view(predictions[0], predictions[1], diff);
  for (const Gate& gate : gates) {
    if (!gate_fails(gate, predictions[0], predictions[1])) continue;
    context.err << "hloroof: gate failed: " << gate.text << '\n';
    context.exit_code = kExitGateFailed;
  }
}

}  // namespace

Command diff_command(Context& context) {
  auto flags = std::make_shared<DiffFlags>();
  Command command{.name = "diff", .text = "Shows what changed between two modules, by category and op"};
  command.positionals = {
      {.names = {"OLD"}, .text = "HLO text before the change", .target = &flags->before, .required = true},
      {.names = {"NEW"}, .text = "HLO text after the change", .target = &flags->after, .required = true}};
  command.options = prediction_options(flags->predict);
  append(command.options, {{.names = {"--fail-if"},
                            .argument = "'step>+2%'",
                            .text = "Exit with 3 if this condition holds; may be repeated",
                            .target = &flags->fail_if},
                           limit_option(flags->diff.limit, "ops"),
                           wide_option(flags->wide)});
  command.run = [flags, &context] { run_diff(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
