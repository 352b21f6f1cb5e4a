// The time that following an advice would save: replays the step with the ops of the advice shortened. The sum of their
// times can be larger, because the step may then wait for a transfer that these ops hide.
#ifndef HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_
#define HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_

#include <optional>

#include "absl/types/span.h"
#include "lib/diagnose/causes.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline diagnose {

// The parts of the step that a remedy shortens, and the share of their time that is left.
struct Shortened {
  absl::Span<const TimePart> parts;
  double share_left = 0;
};

class WhatIf {
 public:
  explicit WhatIf(const StepFacts& facts) : facts_(facts) {}

  // Returns the seconds that the step becomes shorter if all of these take less time. Returns nullopt if a part does
  // not name the op or the transfer that would take less time. Also returns nullopt if the module has no transfers: the
  // sum of the times of the ops is exact then.
  std::optional<double> saved_seconds(absl::Span<const Shortened> shortened);

 private:
  const StepFacts& facts_;
  PagedTable<Demand> demands_;  // those of the step, once they are needed
};

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_
