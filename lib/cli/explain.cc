#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/context.h"
#include "lib/report/explain.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::string file;
  std::string op;
  PredictFlags predict;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<PredictOptions> options = predict_options(flags.predict);
  if (!options.ok()) return context.fail(options.status());
  const absl::StatusOr<Device> device = load_one_device(flags.predict);
  if (!device.ok()) return context.fail(device.status());
  const absl::StatusOr<Module> module = load_module(flags.file);
  if (!module.ok()) return context.fail(module.status());
  const absl::StatusOr<std::string> text = explain(*module, *device, flags.op, *options);
  if (!text.ok()) {
    const bool incomplete = text.status().code() == absl::StatusCode::kFailedPrecondition;
    return context.fail(text.status(), incomplete ? kExitIncomplete : kExitBadInput);
  }
  context.out << *text;
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("explain", "The anatomy of one op: its line in words, bytes, roofs, axes");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->file, "HLO text")->required();
  command->add_option("OP", flags->op, "Name of the instruction")->required();
  add_predict_flags(*command, flags->predict);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
