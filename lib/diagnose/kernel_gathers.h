// Gathers whose rows kernels alone read.
#ifndef HLOROOF_LIB_DIAGNOSE_KERNEL_GATHERS_H_
#define HLOROOF_LIB_DIAGNOSE_KERNEL_GATHERS_H_

#include <optional>
#include <string>
#include <vector>

#include "hloroof/module.h"
#include "lib/diagnose/causes.h"
#include "lib/diagnose/diagnostics.h"

namespace hloroof::internal::inline diagnose {

// A gather whose result only kernels read. XLA fuses nothing into a kernel, so the rows are written and read once more
// than the kernel needs.
struct KernelGather {
  double row_bytes = 0;                    // of the piece of the array that one index selects
  std::string kernel;                      // the first that reads the rows
  std::vector<const OpPrediction*> fills;  // ops in between that put a constant in place of rows
};

// `result` are the rows, and `carrier` is what runs the gather: the same instruction, or the start of which `result` is
// the done. nullopt if `carrier` gathers no rows that a kernel could read by their indices, or if anything else reads
// them.
std::optional<KernelGather> gather_for_kernels(InstructionView result, InstructionView carrier, Diagnosis& diagnosis);

// The finding about it. `part` is the time of the gather in the step: its own, or the wait for it.
Finding gather_finding(const KernelGather& gather, const OpPrediction& op, TimePart part, double seconds,
                       const Diagnosis& diagnosis);

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_KERNEL_GATHERS_H_
