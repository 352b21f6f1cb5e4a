#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct MemoryFlags {
  std::vector<std::string> files;
  Request predict;
  AnswerFlags answer;
};

void run_memory(const MemoryFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kOne);
  if (!subjects.ok()) return context.fail(subjects.status());
  std::vector<NamedPrediction> predictions;
  const bool done =
      predict_all(*subjects, Detail::kAll, context, [&](const std::string& file, StepPrediction prediction) {
        prediction.facts.reset();
        prediction.timeline = {};
        predictions.emplace_back(file, std::move(prediction));
      });
  if (done) write_answer(MemoryOfSteps{&predictions}, flags.answer, context);
}

}  // namespace

Command memory_command(Context& context) {
  auto flags = std::make_shared<MemoryFlags>();
  Command command{.name = "memory",
                  .text = "Prints peak memory, the buffers live at the peak, and whether they fit the device"};
  command.positionals = {files_argument(flags->files)};
  // The other options of a prediction change times, and those do not change the memory.
  command.options = {device_option(flags->predict), option_of(OptionId::kSet, flags->predict)};
  command.options.push_back(jobs_option(flags->predict));
  append(command.options, {answer_format_option(flags->answer, "memory"), output_option(flags->answer.output),
                           limit_option(flags->answer.limit, "buffers"), wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_memory(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
