#include "tests/accuracy/pallas_kernels.h"

#include <fstream>
#include <sstream>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/cost/op_time.h"
#include "lib/predict/facts.h"

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
    if (op.work.kernel == nullptr) continue;
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

}  // namespace hloroof::internal
