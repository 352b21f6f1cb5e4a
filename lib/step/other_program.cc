#include "lib/step/other_program.h"

#include "lib/analysis/generation.h"
#include "lib/analysis/origin.h"

namespace hloroof::internal::inline step {

bool runs_on(Backend backend, DeviceFamily family) {
  switch (backend) {
    case Backend::kUnknown: return true;
    case Backend::kTpu: return family == DeviceFamily::kTpu;
    case Backend::kGpu: return family == DeviceFamily::kGpu;
    case Backend::kCpu: return false;  // no device describes a CPU
  }
  return true;
}

bool is_early(CompileStage stage) {
  return stage == CompileStage::kUnpartitioned || stage == CompileStage::kUnoptimized;
}

bool is_other_program(const Module& module, const Device& device) {
  ModuleOrigin origin;
  find_stage(module, origin);
  if (is_early(origin.stage)) return true;
  find_backend(module, origin);
  return !runs_on(origin.backend, device.family());
}

}  // namespace hloroof::internal::inline step
