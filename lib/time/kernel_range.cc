#include "lib/time/kernel_range.h"

#include <algorithm>

#include "lib/time/kernel_time.h"

namespace hloroof::internal::inline time {
namespace {

// A range with a greater ratio says too little of the time for it to be more than a guess.
constexpr double kMostApart = 3;

bool has_range(const KernelRun& run, const Device& device) {
  if (!run.failure.empty() || device.tpu() == nullptr) return false;
  return run.least != nullptr || run.has_unknown_loop || run.least_work != 1 || run.most_work != 1;
}

}  // namespace

std::optional<KernelRange> kernel_range(const KernelRun& run, const Device& device) {
  if (!has_range(run, device)) return std::nullopt;
  return kernel_range(run, kernel_time(run, device).seconds, device);
}

std::optional<KernelRange> kernel_range(const KernelRun& run, double seconds, const Device& device) {
  if (!has_range(run, device)) return std::nullopt;
  const double now = device.overhead.op + seconds;
  KernelRange range = {now * run.least_work, now * run.most_work};
  if (run.least != nullptr)
    range.least = std::min(range.least, device.overhead.op + kernel_time(*run.least, device).seconds);
  if (run.has_unknown_loop) range.most.reset();
  return range;
}

bool is_open(const KernelRange& range) { return !range.most || *range.most > kMostApart * range.least; }

}  // namespace hloroof::internal::inline time
