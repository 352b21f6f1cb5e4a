// Recognizes the generation of the TPU that a module was compiled for, from the hardware that its text uses: CMEM, and
// two cores that work as one device. Most texts use nothing that only some generations have.
#ifndef HLOROOF_LIB_ANALYSIS_GENERATION_H_
#define HLOROOF_LIB_ANALYSIS_GENERATION_H_

#include <string>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// The hardware that a text uses. A name is empty if nothing uses it.
struct UsedHardware {
  std::string in_cmem;        // an array in CMEM
  std::string on_both_cores;  // an instruction that is split between two cores
};
UsedHardware find_used_hardware(const Module& module);

// Returns the use that `device` does not have the hardware for, as one line; empty if it has all.
std::string missing_hardware(const UsedHardware& used, const Device& device);

// Fills in the generations of a module for TPUs.
void find_generations(const Module& module, ModuleOrigin& origin);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_GENERATION_H_
