// The range of the time of a kernel whose code depends on data.
#ifndef HLOROOF_LIB_TIME_KERNEL_RANGE_H_
#define HLOROOF_LIB_TIME_KERNEL_RANGE_H_

#include <optional>
#include <vector>

#include "hloroof/cost.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/kernel/tpu/kernel_run.h"

namespace hloroof::internal::inline time {

// Seconds of one run if each branch and each loop that depends on data does as little, or as much, as it can.
struct KernelRange {
  double least = 0;
  std::optional<double> most;  // nullopt if a loop has no known end
};

// `run` is what was read of `call` with the same lists. Follows the kernel twice more, so only views call this. Lists
// keep what is assumed about them. nullopt if no branch or loop depends on data.
std::optional<KernelRange> kernel_range(InstructionView call, const KernelRun& run,
                                        const std::vector<KernelList>& lists, const Device& device);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_KERNEL_RANGE_H_
