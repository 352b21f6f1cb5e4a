// The range of the time of a kernel whose code depends on data.
#ifndef HLOROOF_LIB_TIME_KERNEL_RANGE_H_
#define HLOROOF_LIB_TIME_KERNEL_RANGE_H_

#include <optional>

#include "hloroof/device.h"
#include "lib/kernel/tpu/kernel_run.h"

namespace hloroof::internal::inline time {

// Seconds of one run if each branch and each loop that depends on data does as little, or as much, as it can.
struct KernelRange {
  double least = 0;
  std::optional<double> most;  // nullopt if a loop has no known end
};

// nullopt if the text determines the work.
std::optional<KernelRange> kernel_range(const KernelRun& run, const Device& device);
// The same for a caller that knows the seconds of kernel_time() for `run`.
std::optional<KernelRange> kernel_range(const KernelRun& run, double seconds, const Device& device);

// Whether its ends lie so far apart that the time is not known.
bool is_open(const KernelRange& range);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_KERNEL_RANGE_H_
