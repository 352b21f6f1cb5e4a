// What the kernels of a module do. Programs call the same kernel for each layer, and following one over its grid takes
// longer than all else of a prediction, so each is followed once.
#ifndef HLOROOF_LIB_WORK_KERNEL_RUNS_H_
#define HLOROOF_LIB_WORK_KERNEL_RUNS_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/kernel/tpu/kernel_run.h"
#include "lib/kernel/tpu/read_kernel.h"

namespace hloroof::internal::inline work {

// Not thread-safe. What it returns does not change.
class KernelRuns {
 public:
  using Result = absl::StatusOr<KernelRun>;

  // Returns what read_kernel() returns.
  std::shared_ptr<const Result> read(InstructionView call, const ReadKernelOptions& options);

 private:
  // Edits may try many shapes of a kernel. Runs that no work refers to are forgotten when there are so many.
  static constexpr std::size_t kMostUnused = 64;

  absl::flat_hash_map<std::string, std::shared_ptr<const Result>> results_;  // by kernel_inputs()
  std::size_t used_ = 0;                                                     // when some were forgotten last
};

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_KERNEL_RUNS_H_
