// What following an advice would save: the step replayed as if the ops that it concerns took less time. The sum of
// their times promises more where a transfer that they hide is waited for once they are gone.
#ifndef HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_
#define HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_

#include <optional>
#include <vector>

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

  // Returns the seconds of the step that are saved if all of these take less time. Returns nothing if a part does not
  // name the op or the transfer that would take less time, or if nothing runs beside the ops of the module: the sum of
  // what they take is then what is saved.
  std::optional<double> saved_seconds(absl::Span<const Shortened> shortened);

 private:
  const StepFacts& facts_;
  std::vector<Demand> demands_;  // a copy of those of the step, made when it is first needed
};

}  // namespace hloroof::internal::inline diagnose

#endif  // HLOROOF_LIB_DIAGNOSE_WHAT_IF_H_
