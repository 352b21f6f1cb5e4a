#include <CLI/CLI.hpp>
#include <memory>

#include "lib/cli/subjects.h"
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
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  view.color = context.terminal.color;
  view.rows.limit = flags.limit;
  predict_all(*subjects, context, [&](const std::string& file, const Module&, const StepPrediction& prediction) {
    if (subjects->files.size() > 1) context.out << file << '\n';
    context.out << memory_view(prediction, view);
  });
}

}  // namespace

void add_memory(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("memory", "Peak memory, what is live at the peak, and whether it fits");
  auto flags = std::make_shared<Flags>();
  add_files(*command, flags->files);
  add_predict_flags(*command, flags->predict);
  add_limit(*command, flags->limit, "Buffers");
  add_wide(*command, flags->wide);
  command->callback([flags, &context] { run(*flags, context); });
}

}  // namespace hloroof::inline v0
