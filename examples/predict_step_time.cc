// Predicts the step time of a dump:  predict_step_time DUMP DEVICE
#include <iostream>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: predict_step_time DUMP DEVICE\n";
    return 1;
  }
  absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  absl::StatusOr<hloroof::Target> target = hloroof::find_target(argv[2]);
  if (!module.ok() || !target.ok()) {
    std::cerr << (module.ok() ? target.status() : module.status()).message() << '\n';
    return 1;
  }
  absl::StatusOr<hloroof::StepPrediction> step = hloroof::predict_step_time(*module, *target);
  if (!step.ok()) {
    std::cerr << step.status().message() << '\n';
    return 1;
  }
  std::cout << step->step_seconds * 1e3 << " ms, bound by " << to_string(step->bound, step->family) << ", "
            << step->unknown_share * 100 << "% of it unknown\n";
}
