// Recognizes the generation of the TPU that a module was compiled for, from the hardware that its text uses: CMEM, two
// cores that work as one device, and the extent of VMEM. Many texts use nothing that only some generations have.
#ifndef HLOROOF_LIB_ANALYSIS_GENERATION_H_
#define HLOROOF_LIB_ANALYSIS_GENERATION_H_

#include <cstdint>
#include <string>

#include "hloroof/analysis.h"
#include "hloroof/device.h"
#include "hloroof/module.h"

namespace hloroof::internal {

// The hardware that a text uses. A name is empty, and an extent 0, if nothing uses it.
struct UsedHardware {
  std::string in_cmem;           // an array in CMEM
  std::string on_both_cores;     // an instruction that is split between two cores
  std::string in_vmem;           // the instruction that uses the most of VMEM
  std::int64_t vmem_extent = 0;  // bytes from the start of VMEM to the end of its scoped memory
};
UsedHardware find_used_hardware(const Module& module);

// Returns the use that `device` does not have the hardware for, as one line; empty if it has all.
std::string missing_hardware(const UsedHardware& used, const Device& device);

// Fills in the generations of a module for TPUs.
void find_generations(const Module& module, ModuleOrigin& origin);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_ANALYSIS_GENERATION_H_
