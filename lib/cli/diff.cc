#include "lib/report/diff.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/context.h"

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
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<Device> device = load_one_device(flags.predict);
  if (!device.ok()) return context.fail(device.status());
  StepPrediction predictions[2];
  const std::string* const files[2] = {&flags.before, &flags.after};
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<Module> module = load_module(*files[i]);
    if (!module.ok()) return context.fail(module.status());
    absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, *device, *options);
    if (!prediction.ok()) {
      const bool incomplete = prediction.status().code() == absl::StatusCode::kFailedPrecondition;
      return context.fail(prediction.status(), incomplete ? kExitIncomplete : kExitBadInput);
    }
    predictions[i] = *std::move(prediction);
  }
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
  command->add_option("--fail-if", flags->fail_if, "Exit with 3 if this holds; may be repeated")
      ->type_name("'step>+2%'");
  command->add_option("-n", flags->diff.limit, "Ops before [N others]; 0: all");
  command->add_flag("-w,--wide", flags->wide, "Do not cut lines to 80 characters");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
