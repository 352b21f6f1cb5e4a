#include "lib/report/diff.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/subjects.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::string before;
  std::string after;
  PredictFlags predict;
  DiffOptions diff;
  std::vector<std::string> fail_if;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
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
  const bool done = predict_all(*subjects, context, [&](const std::string&, const Module&, StepPrediction prediction) {
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

void add_diff(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("diff", "What changed between two modules, by category and op");
  auto flags = std::make_shared<Flags>();
  command->add_option("OLD", flags->before, "HLO text")->required();
  command->add_option("NEW", flags->after, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  add_list(*command, "--fail-if", flags->fail_if, "'step>+2%'", "Exit with 3 if this holds; may be repeated");
  add_limit(*command, flags->diff.limit, "Ops");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
