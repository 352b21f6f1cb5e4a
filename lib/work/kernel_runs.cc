#include "lib/work/kernel_runs.h"

#include <utility>

namespace hloroof::internal::inline work {

std::shared_ptr<const KernelRuns::Result> KernelRuns::read(InstructionView call, const ReadKernelOptions& options) {
  std::string inputs = kernel_inputs(call, options);
  if (const auto found = results_.find(inputs); found != results_.end()) return found->second;
  if (results_.size() >= used_ + kMostUnused) {
    absl::erase_if(results_, [](const auto& entry) { return entry.second.use_count() == 1; });
    used_ = results_.size();
  }
  auto result = std::make_shared<const Result>(read_kernel(call, options));
  results_.emplace(std::move(inputs), result);
  return result;
}

}  // namespace hloroof::internal::inline work
