// Predicts one dump on every built-in TPU, or on one device with faster memory or another topology.
//
//   compare_devices examples/decode_step.v5e.hlo                      every TPU
//   compare_devices examples/decode_step.v5e.hlo tpu_v5e              the same device with twice the bandwidth of HBM
//   compare_devices examples/ffn_block.v5e_2x4.hlo tpu_v5e 4x4        the topology to compare with
//   compare_devices examples/decode_step.v5e.hlo mine.json            a device file
#include <cstdio>
#include <string>

#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"

namespace {

int fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

absl::Status print_step(const hloroof::Module& module, const hloroof::Target& target, const std::string& what) {
  const absl::StatusOr<hloroof::StepSummary> step = hloroof::predict_summary(module, target);
  if (!step.ok()) return step.status();
  std::printf("%-28s %10.3f ms, bound by %s, at best %.3f ms\n", what.c_str(), step->step_seconds * 1e3,
              std::string(to_string(step->bound, step->family)).c_str(), step->lower_bound_seconds * 1e3);
  return absl::OkStatus();
}

absl::Status compare_all(const hloroof::Module& module) {
  for (const std::string& name : hloroof::device_names()) {
    const absl::StatusOr<hloroof::Device> device = hloroof::find_device(name);
    if (!device.ok()) return device.status();
    if (device->tpu() == nullptr) continue;
    const absl::Status status = print_step(module, *device, device->display_name);
    // A pod may be too small for the program: show that and go on.
    if (!status.ok()) std::printf("%-28s %s\n", name.c_str(), std::string(status.message()).c_str());
  }
  return absl::OkStatus();
}

absl::Status compare_one(const hloroof::Module& module, const std::string& name, const char* topology) {
  const bool is_file = name.size() > 5 && name.substr(name.size() - 5) == ".json";
  absl::StatusOr<hloroof::Device> device = is_file ? hloroof::load_device(name) : hloroof::find_device(name);
  if (!device.ok()) return device.status();
  if (absl::Status status = print_step(module, *device, name); !status.ok()) return status;
  hloroof::Target other = *device;
  std::string what = "with twice the bandwidth";
  if (topology != nullptr) {
    const absl::StatusOr<hloroof::Topology> parsed = hloroof::parse_topology(*device, topology);
    if (!parsed.ok()) return parsed.status();
    other.topology = *parsed;
    what = "on " + parsed->to_string();
  } else {
    absl::Status status = hloroof::set_parameter(other.device, "hbm.bandwidth", 2 * device->hbm.bandwidth);
    if (!status.ok()) return status;
  }
  return print_step(module, other, what);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return std::fprintf(stderr, "usage: compare_devices FILE [DEVICE [TOPOLOGY]]\n"), 1;
  const absl::StatusOr<hloroof::Module> module = hloroof::load_module(argv[1]);
  if (!module.ok()) return fail(module.status());
  const absl::Status status =
      argc == 2 ? compare_all(*module) : compare_one(*module, argv[2], argc == 4 ? argv[3] : nullptr);
  return status.ok() ? 0 : fail(status);
}
