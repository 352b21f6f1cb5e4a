#include "lib/time/kernel_range.h"

#include "lib/kernel/tpu/read_kernel.h"
#include "lib/time/kernel_time.h"
#include "lib/work/custom_call.h"

namespace hloroof::internal::inline time {

std::optional<KernelRange> kernel_range(InstructionView call, const KernelRun& run,
                                        const std::vector<KernelList>& lists, const Device& device) {
  if (!run.failure.empty() || device.tpu() == nullptr) return std::nullopt;
  if (!run.has_unknown_branch && !run.has_unknown_loop) return std::nullopt;
  ReadKernelOptions options;
  options.lists = GivenCosts({}, lists).kernel_lists();
  const auto seconds = [&](UnknownBranches branches) -> std::optional<double> {
    options.branches = branches;
    const absl::StatusOr<KernelRun> other = read_kernel(call, options);
    if (!other.ok()) return std::nullopt;
    return device.overhead.op + kernel_time(*other, device).seconds;
  };
  const std::optional<double> least = seconds(UnknownBranches::kLeast);
  if (!least) return std::nullopt;
  KernelRange range;
  range.least = *least;
  if (!run.has_unknown_loop) range.most = seconds(UnknownBranches::kMost);
  return range;
}

}  // namespace hloroof::internal::inline time
