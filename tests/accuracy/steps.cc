#include <string>
#include <utility>
#include <vector>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/accuracy/published_steps.h"
#include "tests/accuracy/sections.h"

namespace hloroof {

void report_steps(const std::string& shared, Report& report) {
  report.heading("Whole training steps");
  report.paragraph(
      "Measured, or derived from a published TFLOP/s, on whole slices; compiled by a later compiler than measured, "
      "some from defaults that are inferred (steps/README.md). One constant comes from one of them, the rest is not "
      "fitted.");
  std::vector<PublishedStep> steps = {{shared + "/corpus/step/llama3.1-8b.v6e-32.hlo", "tpu_v6e", 3.495},
                                      {shared + "/corpus/step/maxtext-32b.v5p-128.hlo", "tpu_v5p", 9.9157}};
  for (PublishedStep& step : published_steps()) steps.push_back(std::move(step));
  std::vector<std::vector<std::string>> rows;
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
                    step.is_fitted ? "yes" : "no"});
    report.figure("step." + name, error < 0 ? -error : error);
  }
  report.table({"step", "predicted", "measured", "error", "exposed communication", "assumed", "fitted to"}, rows);
}

}  // namespace hloroof
