// Conditions on the change between two predictions, for a CI job.
#ifndef HLOROOF_LIB_VERSIONS_GATE_H_
#define HLOROOF_LIB_VERSIONS_GATE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::internal::inline versions {

// A condition on a change. Examples: 'step>+2%' (relative change), 'step>+1ms' (absolute change), 'memory>15GiB' (new
// value). Metrics: step, exposed, memory, flops, hbm, wire.
struct Gate {
  std::string text;
  std::string metric;
  bool above = true;  // true: fails above `limit`; false: fails below it
  bool or_equal = false;
  enum class Kind { kRelativeChange, kChange, kValue } kind = Kind::kRelativeChange;
  double limit = 0;
};

// Errors: InvalidArgument, with the syntax of a condition in the message.
absl::StatusOr<Gate> parse_gate(std::string_view text);

struct GateResult {
  std::string condition;  // as written
  bool failed = false;    // the condition holds
  double before = 0;      // of the metric
  double after = 0;
  double found = 0;  // what the gate limits: the new value, its change, or its relative change
  double limit = 0;
  std::string finding;  // "step 12.3 ms -> 13.1 ms: +6.5 %, allowed +5 % (185 us above)"
};

GateResult check_gate(const Gate& gate, const StepPrediction& before, const StepPrediction& after);

}  // namespace hloroof::internal::inline versions

#endif  // HLOROOF_LIB_VERSIONS_GATE_H_
