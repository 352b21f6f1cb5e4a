#include "tests/accuracy/pallas_kernels.h"

#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/step/facts.h"
#include "lib/time/op_time.h"
#include "tests/accuracy/sections.h"

namespace hloroof::internal {
namespace {

absl::Status add_work(const std::string& path, MeasuredPallasKernel& kernel) {
  const absl::StatusOr<Module> module = load_module(path);
  if (!module.ok()) return module.status();
  const absl::StatusOr<Device> device = find_device(kernel.device);
  if (!device.ok()) return device.status();
  const absl::StatusOr<StepPrediction> step = predict_step_time(*module, Target(*device));
  if (!step.ok()) return step.status();
  kernel.rest = step->step_seconds;
  for (const OpPrediction& op : step->ops) {
    // A kernel on a SparseCore is asynchronous: what it takes is the wait for its end.
    if (op.work->kernel == nullptr || op.exposed_seconds == 0) continue;
    kernel.rest -= op.exposed_seconds;
    kernel.work.push_back(op.work);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MeasuredPallasKernel>> measured_pallas_kernels(const std::string& folder) {
  std::ifstream index(folder + "/index.csv");
  if (!index) return absl::NotFoundError("no measured kernels");
  std::vector<MeasuredPallasKernel> kernels;
  std::string line;
  std::getline(index, line);  // the header: file,device,kernel,measured_s,peak_memory_mb
  while (std::getline(index, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() < 4) continue;
    MeasuredPallasKernel kernel;
    kernel.file = cells[0];
    kernel.device = cells[1];
    kernel.family = cells[2];
    kernel.measured = std::stod(cells[3]);
    if (const absl::Status status = add_work(folder + "/" + kernel.file, kernel); !status.ok()) return status;
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

double predicted_seconds(const MeasuredPallasKernel& kernel, const Device& device) {
  double seconds = kernel.rest;
  for (const Work& work : kernel.work) seconds += op_time(work, device).seconds;
  return seconds;
}

void report_pallas_kernels(const std::string& shared, Report& report) {
  const absl::StatusOr<std::vector<MeasuredPallasKernel>> kernels = measured_pallas_kernels(shared + "/corpus/pallas");
  if (!kernels.ok()) return;
  report.heading("Measured Pallas kernels, TPU v5e, v5p, v6e and 7x");
  report.paragraph(
      "What tokamax 0.0.17 (Apache-2.0) measured when it was tuned, with the operations of XLA around each kernel. The "
      "kernels are priced from their bodies. All rows are seen: `kernel.*` of data/hardware is fitted to them, with "
      "the errors of cross-validation that CMake's target fit_kernels_to_corpus prints. The sizes of groups and the "
      "masks of "
      "blocks are not in the texts.");
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> rows;
  std::vector<Sample> all;
  for (const MeasuredPallasKernel& kernel : *kernels) {
    const absl::StatusOr<Device> device = find_device(kernel.device);
    if (!device.ok()) continue;
    Sample sample;
    sample.what = kernel.file;
    sample.predicted = predicted_seconds(kernel, *device);
    sample.reference = kernel.measured;
    rows[{kernel.family, kernel.device}].push_back(sample);
    all.push_back(sample);
  }
  const auto cells = [](const std::string& family, const std::string& device, const std::vector<Sample>& samples) {
    const Figures f = figures(samples);
    return std::vector<std::string>{
        family, device, std::to_string(f.count), percent(f.bias), percent(f.median), percent(f.p90), percent(f.within)};
  };
  std::vector<std::vector<std::string>> table;
  table.reserve(rows.size() + 1);
  for (const auto& [key, samples] : rows) table.push_back(cells(key.first, key.second, samples));
  table.push_back(cells("all", "", all));
  report.table({"kernel", "device", "n", "bias", "median", "p90", "within 1.6"}, table);
  report.figure("pallas.median", figures(all).median);
  report.figure("pallas.p90", figures(all).p90);
  report.worst(all, 10);
}

}  // namespace hloroof::internal
