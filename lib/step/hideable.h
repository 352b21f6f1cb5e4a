// What other orders of the ops could hide of the collectives that the step waits for.
#ifndef HLOROOF_LIB_STEP_HIDEABLE_H_
#define HLOROOF_LIB_STEP_HIDEABLE_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// Share of what is exposed of collectives from which on another order is worth a word.
inline constexpr double kWorthOfOrder = 0.10;

// Returns, by index of the collective, the seconds of the step that other orders could hide at most of what it is
// exposed. A transfer runs beside the ops of its computation that come neither before its start nor need its end, so
// that it is hidden for no longer than those take. Several collectives may count the same ops, and what the links are
// busy with is not looked at: it is an upper bound. `exposed` is from exposed_of_collectives(). nullopt where nothing
// is exposed that matters, or where the end is not in the computation of the start, or lies before it.
std::vector<std::optional<double>> hideable_of_collectives(const StepFacts& facts, absl::Span<const double> exposed);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_HIDEABLE_H_
