#include <memory>
#include <utility>

#include "lib/fronts/cli/table_command.h"
#include "lib/report/memory_report.h"

namespace hloroof::internal {
namespace {

constexpr TableFormats<NamedPrediction> kMemoryFormats = {
    memory_json, memory_csv,
    [](const NamedPrediction& named, const ViewOptions& view) { return memory_view(named.second, view); },
    [](const NamedPrediction& named) -> const std::string& { return named.first; }};

void run_memory(const TableFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  std::vector<NamedPrediction> predictions;
  const bool done =
      predict_all(*subjects, Detail::kAll, context, [&](const std::string& file, StepPrediction prediction) {
        prediction.facts.reset();
        prediction.timeline = {};
        predictions.emplace_back(file, std::move(prediction));
      });
  if (done) write_tables(flags, predictions, kMemoryFormats, context);
}

}  // namespace

Command memory_command(Context& context) {
  auto flags = std::make_shared<TableFlags>();
  Command command{.name = "memory",
                  .text = "Prints peak memory, the buffers live at the peak, and whether they fit the device"};
  command.positionals = {files_argument(flags->files)};
  // The other options of a prediction change times, and those do not change the memory.
  command.options = {device_option(flags->predict), option_of(OptionId::kSet, flags->predict)};
  command.options.push_back(jobs_option(flags->predict));
  append(command.options, table_options(*flags, "buffers"));
  command.run = [flags, &context] { run_memory(*flags, context); };
  return command;
}

}  // namespace hloroof::internal
