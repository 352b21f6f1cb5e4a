// Whether a device would run this module, or another one that XLA would compile for it.
#ifndef HLOROOF_LIB_STEP_OTHER_PROGRAM_H_
#define HLOROOF_LIB_STEP_OTHER_PROGRAM_H_

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline step {

// Whether devices of this family run what is compiled for the backend. True if the backend is unknown.
bool runs_on(Backend backend, DeviceFamily family);

// Whether the text is from before the partitioner or the optimizer.
bool is_early(CompileStage stage);

// Returns whether the device would run another module than this one: the text is of another backend, or from before
// partitioning or optimization. The costs of its ops are then assumptions.
bool is_other_program(const Module& module, const Device& device);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_OTHER_PROGRAM_H_
