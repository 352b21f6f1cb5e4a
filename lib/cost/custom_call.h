// Custom calls: what well-known targets do, and what the rest says of itself.
#ifndef HLOROOF_LIB_COST_CUSTOM_CALL_H_
#define HLOROOF_LIB_COST_CUSTOM_CALL_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "hloroof/cost.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"
#include "lib/cost/size_cache.h"

namespace hloroof::inline v0 {

enum class CustomCallBehaviour : std::uint8_t {
  kFree,  // names or allocates a buffer
  kMove,
  kCholesky,
  kTriangularInverse,
  kTriangularSolve,
  kTopK,
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
  kKernel,  // a kernel of the user's: a stated cost, a known kernel's formula, or not known
};

// Nothing for a target that is not in the table.
std::optional<CustomCallBehaviour> custom_call_behaviour(std::string_view target);

// Whether the call costs nothing at all.
bool is_free_custom_call(InstructionView custom_call);

// The costs that a user gives, with their patterns compiled.
class GivenCosts {
 public:
  explicit GivenCosts(const std::vector<CustomCallCost>& costs);
  ~GivenCosts();

  // The first that names the call's target or the call itself; null if none does.
  const CustomCallCost* find(InstructionView custom_call) const;

 private:
  struct Entry;
  std::vector<Entry> entries_;
};

// Errors: InvalidArgument with RE2's reason for a pattern that is none.
absl::Status check_custom_call_costs(const std::vector<CustomCallCost>& costs);

// Arithmetic of a custom call: flops, transcendentals, matrix and vector work, and how well they are known. `work`
// holds the boundary bytes already; a cost that states its own bytes replaces them.
void add_custom_call(InstructionView custom_call, const GivenCosts& given, SizeCache& sizes, Work& work);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_CUSTOM_CALL_H_
