// Conditions on the change between two predictions, for a CI job.
#ifndef HLOROOF_LIB_VERSIONS_GATE_H_
#define HLOROOF_LIB_VERSIONS_GATE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline versions {

// A condition on a change. Examples: 'step>+2%' (relative change), 'step>+1ms' (absolute change), 'memory>15GiB' and
// 'mfu<40%' (new value). Metrics: step, exposed, memory (the peak in HBM), flops, hbm, wire, mfu.
struct Gate {
  std::string text;
  std::string metric;
  bool above = true;  // true: fails above `limit`; false: fails below it
  bool or_equal = false;
  enum class Kind { kRelativeChange, kChange, kValue } kind = Kind::kRelativeChange;
  double limit = 0;
};

// Seconds and bytes need a unit. A percentage is a relative change; without a sign, that of mfu is its value. Errors:
// InvalidArgument with the position, what is expected there, and examples.
absl::StatusOr<Gate> parse_gate(std::string_view text);

// The same for a condition on one prediction, which has no other to change from. Errors: those of parse_gate();
// InvalidArgument for a change.
absl::StatusOr<Gate> parse_limit(std::string_view text);

struct GateResult {
  std::string condition;  // as written
  bool failed = false;    // the condition holds
  double before = 0;      // of the metric; 0 if it is unknown, as the MFU can be
  double after = 0;
  double found = 0;  // what the gate limits: the new value, its change, or its relative change
  double limit = 0;
  std::string finding;  // "step 12.3 ms -> 13.1 ms: +6.5 %, allowed +5 % (185 us above)"
};

GateResult check_gate(const Gate& gate, const StepPrediction& before, const StepPrediction& after);

// Checks a condition of parse_limit().
GateResult check_limit(const Gate& gate, const StepPrediction& prediction);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_GATE_H_
