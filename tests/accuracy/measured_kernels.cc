#include "tests/accuracy/measured_kernels.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "tests/accuracy/figures.h"
#include "tests/accuracy/sections.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

const std::string kFolder = source_path("tests/accuracy/kernels/");

std::string longest_op(const StepPrediction& prediction, const Device& device) {
  const auto longest = std::max_element(prediction.ops.begin(), prediction.ops.end(), [](const auto& a, const auto& b) {
    return a.exposed_seconds < b.exposed_seconds;
  });
  if (longest == prediction.ops.end()) return "";
  return absl::StrFormat("%s, %.0f %%: %s", longest->category, 100 * longest->exposed_seconds / prediction.step_seconds,
                         terms(longest->work, device));
}

}  // namespace

std::vector<MeasuredKernel> read_measured_kernels() {
  std::vector<MeasuredKernel> kernels;
  for (const auto& row : read_csv(kFolder + "measured.csv")) {
    MeasuredKernel kernel;
    kernel.device = row.at("device");
    kernel.kernel = row.at("kernel");
    kernel.shapes = row.at("x") + (row.at("weights").empty() ? "" : " " + row.at("weights"));
    kernel.path = kFolder + row.at("hlo");
    kernel.measured = std::stod(row.at("median_ms")) * 1e-3;
    kernel.standing = standing_from_string(row.at("standing")).value();
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

absl::StatusOr<std::vector<MeasuredKernel>> measured_kernels() {
  std::vector<MeasuredKernel> kernels = read_measured_kernels();
  for (MeasuredKernel& kernel : kernels) {
    const auto module = load_module(kernel.path);
    if (!module.ok()) return module.status();
    const auto device = find_device(kernel.device);
    if (!device.ok()) return device.status();
    const auto prediction = predict_step_time(*module, *device);
    if (!prediction.ok()) return prediction.status();
    kernel.predicted = prediction->step_seconds;
    kernel.longest = longest_op(*prediction, *device);
  }
  return kernels;
}

void report_measured_kernels(Report& report) {
  report.heading("Measured kernels, TPU v5p, v6e and 7x, H100 and A100");
  report.paragraph(
      "What tokamax 0.0.17 (Apache-2.0) measured when it was tuned: the medians of five runs, of its kernels that "
      "leave everything to XLA. `glu` is a gated linear unit, x by two weights with an activation; `norm` a layer "
      "normalization; `loss` a softmax cross entropy with the product that makes its logits. On TPU the times of the "
      "operations are joined, to 1 us; on GPU those of the kernels are added, without what lies between them. The "
      "dumps in kernels/ are compiled anew. On TPU, and of glu and norm on GPU, they have the peak memory that was "
      "noted with the measurement; GPU products are assumed to be cuBLAS calls. The HBM efficiency and the wave time "
      "of "
      "A100 are fitted to every second row. kernels/README.md says which constants were chosen with the seen rows in "
      "view.");
  const auto kernels = measured_kernels();
  if (!kernels.ok()) {
    report.paragraph(std::string(kernels.status().message()));
    return;
  }
  std::vector<Sample> judging;  // all but the fitted
  std::vector<Sample> held_back;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < kernels->size();) {
    const MeasuredKernel& first = (*kernels)[i];
    std::map<Standing, std::vector<Sample>> samples;
    for (; i < kernels->size() && (*kernels)[i].device == first.device && (*kernels)[i].kernel == first.kernel; ++i) {
      const MeasuredKernel& k = (*kernels)[i];
      samples[k.standing].push_back(
          {marked(k.standing, k.device + " " + k.kernel + " " + k.shapes), k.predicted, k.measured, 1, k.longest});
    }
    for (const auto& [standing, part] : samples) {
      const Figures f = figures(part);
      rows.push_back({first.device, first.kernel, to_string(standing), std::to_string(f.count), percent(f.bias),
                      percent(f.median), percent(f.p90)});
      if (standing == Standing::kFitted) continue;
      const std::string name = "kernel." + first.device + "." + first.kernel;
      report.figure(figure_name(standing, name + ".median"), f.median);
      report.figure(figure_name(standing, name + ".p90"), f.p90);
      judging.insert(judging.end(), part.begin(), part.end());
      if (standing != Standing::kHeldBack) continue;
      held_back.insert(held_back.end(), part.begin(), part.end());
      report.measured(first.device, Measured::kKernels, part);
    }
  }
  report.table({"device", "kernel", "rows", "count", "bias", "median", "p90"}, rows);
  report.worst(judging, 8);
  report.held_back("kernels of H100, A100, TPU v5p and v6e", held_back);
  report.figure("kernel.median", figures(held_back).median);
  report.figure("kernel.p90", figures(held_back).p90);
}

}  // namespace hloroof::internal
