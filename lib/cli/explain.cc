#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/subjects.h"
#include "lib/report/explain.h"

namespace hloroof::inline v0 {
namespace {

struct Flags {
  std::string file;
  std::string op;
  PredictFlags predict;
};

void run(const Flags& flags, Context& context) {
  const absl::StatusOr<Subject> subject = find_subject(flags.predict, flags.file);
  if (!subject.ok()) return context.fail(subject.status());
  const absl::StatusOr<std::string> text = explain(subject->module, subject->device, flags.op, subject->options);
  if (!text.ok()) return context.fail_prediction(text.status());
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
