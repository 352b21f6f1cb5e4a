#include <string>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/accuracy/published_steps.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {

void report_steps(const std::string& shared, Report& report) {
  report.heading("Whole training steps");
  report.paragraph(
      "Measured, or derived from a published TFLOP/s, on whole slices. They were compiled by a later compiler than "
      "measured, some from defaults that are inferred (steps/README.md). The matrix unit's efficiency of TPU v4 is "
      "fitted to one of them; what attention kernels do to a score was counted with the step of Llama 3.1 in view.");
  std::vector<PublishedStep> steps = {
      {shared + "/corpus/step/llama3.1-8b.v6e-32.hlo", "tpu_v6e", 3.495, Standing::kSeen},
      {shared + "/corpus/step/maxtext-32b.v5p-128.hlo", "tpu_v5p", 9.9157, Standing::kHeldBack}};
  for (PublishedStep& step : published_steps()) steps.push_back(std::move(step));
  std::vector<std::vector<std::string>> rows;
  std::vector<Sample> held_back;
  for (const PublishedStep& step : steps) {
    const auto module = load_module(step.path);
    const auto device = find_device(step.device);
    if (!module.ok() || !device.ok()) continue;
    const auto prediction = predict_step_time(*module, *device);
    if (!prediction.ok()) continue;
    const double error = prediction->step_seconds / step.seconds - 1;
    const std::string name = step_name(step);
    rows.push_back({name, microseconds(prediction->step_seconds), microseconds(step.seconds), percent(error),
                    microseconds(prediction->exposed_communication_seconds), percent(prediction->assumed_share),
                    to_string(step.standing)});
    report.figure(figure_name(step.standing, "step." + name), error < 0 ? -error : error);
    if (step.standing == Standing::kHeldBack) {
      held_back.push_back({name, prediction->step_seconds, step.seconds, 1, ""});
      report.measured(step.device, Measured::kSteps, {held_back.back()});
    }
  }
  report.table({"step", "predicted", "measured", "error", "exposed communication", "assumed", "row"}, rows);
  report.held_back("whole training steps, TPU v4, v5e and v5p", held_back);
  report.figure("step.median", figures(held_back).median);
}

}  // namespace hloroof::internal
