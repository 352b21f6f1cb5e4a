#include <memory>

#include "lib/cli/subjects.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

struct MemoryFlags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::size_t limit = 20;
  bool wide = false;
};

void run_memory(const MemoryFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  ViewOptions view;
  view.width = flags.wide ? 0 : 80;
  view.color = context.terminal.color;
  view.rows.limit = flags.limit;
  predict_all(*subjects, context, [&](const std::string& file, const StepPrediction& prediction) {
    if (subjects->files.size() > 1) context.out << file << '\n';
    context.out << memory_view(prediction, view);
  });
}

}  // namespace

Command memory_command(Context& context) {
  auto flags = std::make_shared<MemoryFlags>();
  Command command{.name = "memory",
                  .text = "Prints peak memory, the buffers live at the peak, and whether they fit the device"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  append(command.options, {limit_option(flags->limit, "buffers"), wide_option(flags->wide)});
  command.run = [flags, &context] { run_memory(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
