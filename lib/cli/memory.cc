#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/context.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::size_t limit = 20;
  bool wide = false;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<Device> device = load_one_device(flags.predict);
  if (!device.ok()) return context.fail(device.status());
  const absl::StatusOr<std::vector<std::string>> files = expand_inputs(flags.files);
  if (!files.ok()) return context.fail(files.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  view.rows.limit = flags.limit;
  for (const std::string& file : *files) {
    const absl::StatusOr<Module> module = load_module(file);
    if (!module.ok()) return context.fail(module.status());
    const absl::StatusOr<StepPrediction> prediction = predict_step_time(*module, *device, *options);
    if (!prediction.ok()) {
      const bool incomplete = prediction.status().code() == absl::StatusCode::kFailedPrecondition;
      return context.fail(prediction.status(), incomplete ? kExitIncomplete : kExitBadInput);
    }
    if (files->size() > 1) context.out << file << '\n';
    context.out << memory_view(*prediction, view);
  }
}

}  // namespace

void add_memory(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("memory", "Peak memory, what is live at the peak, and whether it fits");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->files, "HLO text")->required();
  add_predict_flags(*command, flags->predict);
  command->add_option("-n", flags->limit, "Buffers before [N others]; 0: all");
  command->add_flag("-w,--wide", flags->wide, "Do not cut lines to 80 characters");
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
