// Which states of two compiles belong together.
#ifndef HLOROOF_LIB_VERSIONS_ALIGN_PASSES_H_
#define HLOROOF_LIB_VERSIONS_ALIGN_PASSES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lib/versions/passes.h"

namespace hloroof::internal::inline versions {

// The states after one pass: of both compiles, or of the one that alone has it.
struct AlignedPass {
  std::optional<std::size_t> before;  // index of its state
  std::optional<std::size_t> after;
};

// The longest common subsequence of (pipeline, pass), in which states with the same program meet first. What only
// `before` has precedes what only `after` has. Errors: ResourceExhausted if there are too many states to align.
absl::StatusOr<std::vector<AlignedPass>> align_passes(absl::Span<const PassRow> before,
                                                      absl::Span<const PassRow> after);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_ALIGN_PASSES_H_
