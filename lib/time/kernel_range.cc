#include "lib/time/kernel_range.h"

#include <algorithm>

#include "lib/time/kernel_time.h"

namespace hloroof::internal::inline time {
namespace {

// A range with a greater ratio says too little of the time for it to be more than a guess.
constexpr double kMostApart = 3;

}  // namespace

std::optional<KernelRange> kernel_range(const KernelRun& run, const Device& device) {
  if (!run.failure.empty() || device.tpu() == nullptr) return std::nullopt;
  const bool depends_on_data = run.least != nullptr || run.has_unknown_loop;
  if (!depends_on_data && run.least_work == 1 && run.most_work == 1) return std::nullopt;
  const auto seconds = [&](const KernelRun& other) { return device.overhead.op + kernel_time(other, device).seconds; };
  const double now = seconds(run);
  KernelRange range = {now * run.least_work, now * run.most_work};
  if (run.least != nullptr) range.least = std::min(range.least, seconds(*run.least));
  if (run.most != nullptr) range.most = std::max(*range.most, seconds(*run.most));
  if (run.has_unknown_loop) range.most.reset();
  return range;
}

bool is_open(const KernelRange& range) { return !range.most || *range.most > kMostApart * range.least; }

}  // namespace hloroof::internal::inline time
