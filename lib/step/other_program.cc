#include "lib/step/other_program.h"

#include "absl/strings/str_cat.h"
#include "lib/analysis/origin.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline step {
namespace {

std::string_view machine(Backend backend) {
  return backend == Backend::kTpu ? "a TPU" : backend == Backend::kGpu ? "a GPU" : "the CPU";
}

}  // namespace

bool runs_on(Backend backend, DeviceFamily family) {
  switch (backend) {
    case Backend::kUnknown: return true;
    case Backend::kTpu: return family == DeviceFamily::kTpu;
    case Backend::kGpu: return family == DeviceFamily::kGpu;
    case Backend::kCpu: return family == DeviceFamily::kCpu;
  }
  return true;
}

std::string other_backend_text(const ModuleOrigin& origin, const Device& device) {
  return absl::StrCat("was compiled for ", to_absl(machine(origin.backend)), " (", origin.backend_evidence, "), and ",
                      device.name, " would run another program: other fusions, layouts and kernels");
}

absl::Status refuse_other_backend(const ModuleOrigin& origin, std::string_view module, const Target& target) {
  const Device& device = target.device;
  if (runs_on(origin.backend, device.family())) return absl::OkStatus();
  const std::string place = device.name + (target.topology ? ":" + target.topology->to_string() : "");
  const std::string remedy =
      device.family() == DeviceFamily::kTpu
          ? absl::StrCat(
                "Compile it for the device, which need not be there: jax.experimental.topologies compiles ahead "
                "of time, and so does hloroof.jax.compile_for(function, arguments, \"",
                place, "\")")
          : absl::StrCat("Compile it on a ", device.name);
  return invalid_argument(absl::StrCat(to_absl(module), " ", other_backend_text(origin, device), ".\n", remedy,
                                       ".\nThe option allow_other_backend predicts the module as it is; such times can "
                                       "be several times off."));
}

bool is_early(CompileStage stage) {
  return stage == CompileStage::kUnpartitioned || stage == CompileStage::kUnoptimized;
}

bool is_untiled_on_tpu(const Module& module, const ModuleOrigin& origin, const Device& device) {
  return device.family() == DeviceFamily::kTpu && lacks_tiles(module, origin);
}

bool is_other_program(const Module& module, const Device& device) {
  ModuleOrigin origin;
  find_stage(module, origin);
  if (is_early(origin.stage)) return true;
  // The same text with its HloModule line may be from before optimization. One instruction alone is what it is.
  if (origin.stage == CompileStage::kUnknown && !ModuleRows::has_header(module) &&
      !ModuleRows::is_single_instruction(module)) {
    return true;
  }
  find_backend(module, origin);
  return !runs_on(origin.backend, device.family()) || is_untiled_on_tpu(module, origin, device);
}

}  // namespace hloroof::internal::inline step
