// Computes the work of custom calls. A table describes well-known targets; other calls may state their cost.
#ifndef HLOROOF_LIB_WORK_CUSTOM_CALL_H_
#define HLOROOF_LIB_WORK_CUSTOM_CALL_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "lib/kernel/tpu/given_lists.h"
#include "lib/work/kernel_runs.h"
#include "lib/work/size_cache.h"

namespace hloroof::internal::inline work {

enum class CustomCallBehaviour : std::uint8_t {
  kFree,  // only names or allocates a buffer
  kWait,  // waits for a transfer that moves its result
  kMove,
  kCholesky,
  kTriangularInverse,
  kTriangularSolve,
  kLuPanel,
  kQrPanel,
  kTopK,
  kPackedTopK,     // of integers that hold a value and its number
  kPartialReduce,  // the best of each place of the result, before a selection that may miss some
  kGemm,
  kConvolution,
  kAttention,
  kAttentionBackward,
  kNorm,
  kRadixSort,
  kGpuCholesky,
  kGpuLu,
  kGpuQr,
  kGpuEigen,
  kGpuSvd,
  kRandomBits,
  kKernel,  // a user's kernel: priced by its body, its shapes or its stated cost, or unknown
};

// The behaviour of a target; nullopt if it is not in the table.
std::optional<CustomCallBehaviour> custom_call_behaviour(std::string_view target);

// Whether an instruction calls a user's kernel.
bool is_kernel_call(InstructionView instruction);

// Whether the call costs nothing.
bool is_free_custom_call(InstructionView custom_call);

// The costs that the user states, with compiled patterns, and the lists of kernels.
class GivenCosts {
 public:
  explicit GivenCosts(const std::vector<CustomCallCost>& costs, const std::vector<KernelList>& kernel_lists = {});
  ~GivenCosts();

  // The first cost whose name or pattern matches the target or the name of the call; null if there is none.
  const CustomCallCost* find(InstructionView custom_call) const;
  const std::vector<GivenList>& kernel_lists() const { return kernel_lists_; }

 private:
  struct Entry;
  std::vector<Entry> entries_;
  std::vector<GivenList> kernel_lists_;
};

// Errors: those of check_given_lists (lib/kernel/tpu/given_lists.h).
absl::Status check_kernel_lists(const Module& module, const std::vector<KernelList>& lists);

// Errors: InvalidArgument with RE2's message if a pattern is not a valid regular expression, and with the nearest names
// if no custom call of the module has the target, the name or the pattern.
absl::Status check_custom_call_costs(const Module& module, const std::vector<CustomCallCost>& costs);

// Adds the arithmetic of a custom call to `work`: flops, transcendentals, matrix and vector work, and their source.
// `work` must already hold the boundary bytes. A cost that states its own bytes replaces them.
void add_custom_call(InstructionView custom_call, const GivenCosts& given, SizeCache& sizes, KernelRuns& kernels,
                     Work& work);

// Adds `share` of the arithmetic of a selection of the best values of rows, which stands alone or ends a fusion.
// Returns false if the call is none, or if its operand has no tiles: code for other devices selects in other ways.
bool add_selection(InstructionView custom_call, double share, SizeCache& sizes, Work& work);

}  // namespace hloroof::internal::inline work

#endif  // HLOROOF_LIB_WORK_CUSTOM_CALL_H_
