#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/strings.h"
#include "lib/cli/context.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string fail_on = "warning";
  std::vector<std::string> ignore;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
  Severity gate = Severity::kError;
  if (flags.fail_on == "warning") {
    gate = Severity::kWarning;
  } else if (flags.fail_on == "info") {
    gate = Severity::kInfo;
  } else if (flags.fail_on != "error") {
    return context.fail(invalid_argument("--fail-on takes error, warning or info"));
  }
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<Device> device = load_one_device(flags.predict);
  if (!device.ok()) return context.fail(device.status());
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  for (const std::string& file : *files) {
    const absl::StatusOr<Module> module = load_module(file);
    if (!module.ok()) return context.fail(module.status());
    absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, *device, *options);
    if (!prediction.ok()) {
      const bool incomplete = prediction.status().code() == absl::StatusCode::kFailedPrecondition;
      return context.fail(prediction.status(), incomplete ? kExitIncomplete : kExitBadInput);
    }
    std::erase_if(prediction->diagnostics, [&](const Diagnostic& d) {
      return std::find(flags.ignore.begin(), flags.ignore.end(), d.code) != flags.ignore.end();
    });
    if (files->size() > 1) context.out << file << '\n';
    context.out << diagnostics_view(*prediction, view);
    for (const Diagnostic& diagnostic : prediction->diagnostics) {
      if (diagnostic.severity >= gate) context.exit_code = kExitGateFailed;
    }
  }
}

}  // namespace

void add_lint(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("lint", "The diagnostics alone; exits with 3 if there is one to act on");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->files, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  command->add_option("--fail-on", flags->fail_on, "error, warning or info: exit with 3 at this severity")
      ->type_name("SEVERITY");
  command->add_option("--ignore", flags->ignore, "Codes that do not count, e.g. unscheduled")
      ->delimiter(',')
      ->type_name("CODE");
  command->add_flag("-w,--wide", flags->wide, "Do not cut lines to 80 characters");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
