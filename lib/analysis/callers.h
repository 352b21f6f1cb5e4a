// The callers of all computations of a module.
#ifndef HLOROOF_LIB_ANALYSIS_CALLERS_H_
#define HLOROOF_LIB_ANALYSIS_CALLERS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline analysis {

// In one list: most computations have one caller, and a list for each takes longer to allocate than to fill.
class Callers {
 public:
  // A computation, and an instruction that names it.
  using Call = std::pair<std::uint32_t, InstructionId>;

  Callers() = default;
  // `calls` of computations below `limit`. The callers of one keep their order.
  Callers(std::size_t limit, absl::Span<const Call> calls) : begins_(limit + 1, 0), ids_(calls.size()) {
    for (const auto& [computation, caller] : calls) ++begins_[computation + 1];
    for (std::size_t i = 0; i < limit; ++i) begins_[i + 1] += begins_[i];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end());
    for (const auto& [computation, caller] : calls) ids_[next[computation]++] = caller;
  }

  // None for a computation that is not below the limit.
  absl::Span<const InstructionId> of(std::uint32_t computation) const {
    if (computation + std::size_t{1} >= begins_.size()) return {};
    return absl::MakeConstSpan(ids_).subspan(begins_[computation], begins_[computation + 1] - begins_[computation]);
  }

 private:
  std::vector<std::uint32_t> begins_;  // by ComputationId: where its callers begin; and where the last ones end
  std::vector<InstructionId> ids_;
};

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_CALLERS_H_
