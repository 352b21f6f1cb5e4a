#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/sections.h"

namespace hloroof {

void report_steps(const std::string& shared, Report& report) {
  report.heading("Whole training steps");
  report.paragraph(
      "Measured, or derived from a published TFLOP/s, on whole slices; compiled by a later compiler than measured.");
  struct Step {
    const char* file;
    const char* device;
    double seconds;
  };
  std::vector<std::vector<std::string>> rows;
  for (const Step& step :
       {Step{"llama3.1-8b.v6e-32", "tpu_v6e", 3.495}, Step{"maxtext-32b.v5p-128", "tpu_v5p", 9.9157}}) {
    const auto module = load_module(shared + "/corpus/step/" + step.file + ".hlo");
    const auto device = find_device(step.device);
    if (!module.ok() || !device.ok()) continue;
    const auto prediction = predict_step_time(*module, *device);
    if (!prediction.ok()) continue;
    const double error = prediction->step_seconds / step.seconds - 1;
    rows.push_back({step.file, microseconds(prediction->step_seconds), microseconds(step.seconds), percent(error),
                    microseconds(prediction->exposed_communication_seconds), percent(prediction->assumed_share)});
    report.figure(std::string("step.") + step.file, error < 0 ? -error : error);
  }
  report.table({"step", "predicted", "measured", "error", "exposed communication", "assumed"}, rows);
}

}  // namespace hloroof
