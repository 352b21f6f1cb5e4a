#include "lib/report/sweep.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

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

// Says that a part of a machine is assumed where no program needs all of it.
void note_parts(const Subjects& subjects, const std::vector<SweepPoint>& points, Context& context) {
  std::vector<std::string> asked;
  for (const Target& target : subjects.targets) {
    if (target.topology) asked.push_back(target.topology->to_string());
    for (const std::string& text : subjects.topologies) {
      const absl::StatusOr<Topology> topology = parse_topology(target.device, text);
      if (topology.ok()) asked.push_back(topology->to_string());
    }
  }
  std::set<std::string> used;
  for (const SweepPoint& point : points) used.insert(point.step.topology);
  for (const std::string& machine : std::set<std::string>(asked.begin(), asked.end())) {
    if (machine.find('*') != std::string::npos || used.count(machine) != 0) continue;
    context.err << "hloroof: note: no program needs all devices of " << machine
                << ": rows for it are of the part that is assumed to run the program\n";
  }
}

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
  note_parts(*subjects, points, context);
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
