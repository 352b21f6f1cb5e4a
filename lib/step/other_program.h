// Whether a device would run this module, or another one that XLA would compile for it.
#ifndef HLOROOF_LIB_STEP_OTHER_PROGRAM_H_
#define HLOROOF_LIB_STEP_OTHER_PROGRAM_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline step {

// Whether devices of this family run what is compiled for the backend. True if the backend is unknown.
bool runs_on(Backend backend, DeviceFamily family);

// "was compiled for a TPU (the evidence), and h100_sxm would run another program: other fusions, layouts and kernels",
// of a module that the device does not run.
std::string other_backend_text(const ModuleOrigin& origin, const Device& device);

// Errors: InvalidArgument if the target runs no programs of the backend, with the evidence and the remedy.
absl::Status refuse_other_backend(const ModuleOrigin& origin, std::string_view module, const Target& target);

// Whether the text is from before the partitioner or the optimizer.
bool is_early(CompileStage stage);

// Whether the device is a TPU and the text shows that it is not for one, without showing what it is for.
bool is_untiled_on_tpu(const Module& module, const ModuleOrigin& origin, const Device& device);

// Returns whether the device would run another module than this one, or may: the text is of another backend, or from
// before partitioning or optimization, or lacks the line that would say so. The costs of its ops are then assumptions.
bool is_other_program(const Module& module, const Device& device);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_OTHER_PROGRAM_H_
