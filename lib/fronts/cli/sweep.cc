#include "lib/report/sweep.h"

#include <memory>

#include "lib/fronts/cli/answer_command.h"
#include "lib/fronts/cli/origin_warnings.h"
#include "lib/fronts/cli/subjects.h"

namespace hloroof::internal::inline cli {
namespace {

struct SweepFlags {
  std::vector<std::string> files;
  Request predict;
  AnswerFlags answer;
  std::string sort;  // empty: by step, unless only the values of parameters differ
};

void run_sweep(const SweepFlags& flags, Context& context) {
  const absl::StatusOr<Subjects> subjects = find_subjects(flags.predict, flags.files, Breadth::kSeveral);
  if (!subjects.ok()) return context.fail(subjects.status());
  OriginWarnings warnings(context);
  std::vector<SweepPoint> points;
  const bool done =
      predict_all(*subjects, Detail::kHeadline, context, [&](const std::string& file, StepPrediction prediction) {
        warnings.add(file, prediction.diagnostics);
        prediction.diagnostics = {};
        points.push_back(make_sweep_point(file, std::move(prediction), subjects->targets));
      });
  if (!done) return;
  const SweepOrder by_default = has_several_places(points) ? SweepOrder::kStep : SweepOrder::kGiven;
  const SweepOrder order = sweep_order_from_string(flags.sort).value_or(by_default);
  sort_points(points, order);
  write_answer(SweptSteps{&points, order}, flags.answer, context);
}

}  // namespace

Command sweep_command(Context& context) {
  auto flags = std::make_shared<SweepFlags>();
  Command command{.name = "sweep",
                  .text =
                      "Prints one line for each combination of files, devices, topologies and values of --set "
                      "NAME=V,V,..., ranked by step time"};
  command.positionals = {files_argument(flags->files)};
  command.options = prediction_options(flags->predict);
  append(command.options, {answer_format_option(flags->answer, "sweep"),
                           output_option(flags->answer.output),
                           {.names = {"--sort"},
                            .argument = "step|hfu|memory|none",
                            .text = "Order of the rows; default: step, or none if only the values of --set differ",
                            .target = &flags->sort},
                           jobs_option(flags->predict),
                           wide_option(flags->answer.wide)});
  command.run = [flags, &context] { run_sweep(*flags, context); };
  return command;
}

}  // namespace hloroof::internal::inline cli
