#include "lib/report/memory_report.h"

#include <memory>

#include "lib/cli/subjects.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

struct MemoryFlags {
  std::vector<std::string> files;
  PredictFlags predict;
  std::string format = "text";
  std::string output;
  std::size_t limit = 20;
  bool wide = false;
};

std::string memory_text(const std::vector<NamedPrediction>& predictions, const ViewOptions& view) {
  std::string text;
  for (const auto& [file, prediction] : predictions) {
    if (predictions.size() > 1) text += (view.markdown ? "### " : "") + file + "\n";
    text += memory_view(prediction, view);
  }
  return text;
}

void run_memory(const MemoryFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  std::vector<NamedPrediction> predictions;
  const bool done = predict_all(*subjects, context, [&](const std::string& file, StepPrediction prediction) {
    prediction.facts.reset();
    prediction.timeline = {};
    predictions.emplace_back(file, std::move(prediction));
  });
  if (!done) return;
  ViewOptions view;
  view.width = context.width(flags.wide, flags.output);
  view.color = context.terminal.color;
  view.markdown = flags.format == "markdown";
  view.rows.limit = flags.limit;
  const std::string text = flags.format == "json"  ? memory_json(predictions)
                           : flags.format == "csv" ? memory_csv(predictions)
                                                   : memory_text(predictions, view);
  if (absl::Status status = write_output(context, flags.output, text); !status.ok()) context.fail(status);
}

}  // namespace

Command memory_command(Context& context) {
  auto flags = std::make_shared<MemoryFlags>();
  Command command{.name = "memory",
                  .text = "Prints peak memory, the buffers live at the peak, and whether they fit the device"};
  command.positionals = {files_argument(flags->files)};
  // The other options of a prediction change times, and those do not change the memory.
  command.options = {device_option(flags->predict), format_option(flags->format, "text|json|csv|markdown"),
                     output_option(flags->output),  limit_option(flags->limit, "buffers"),
                     wide_option(flags->wide),      set_option(flags->predict)};
  command.run = [flags, &context] { run_memory(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
