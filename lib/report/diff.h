// What changed between two predictions.
#ifndef HLOROOF_LIB_REPORT_DIFF_H_
#define HLOROOF_LIB_REPORT_DIFF_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::inline v0 {

struct DiffOptions {
  std::size_t width = 80;
  std::size_t limit = 20;  // ops; 0: all
};

// Signed changes of the step, its totals, categories and ops, largest first; ops are matched by name. Rows add up to
// the change of the step.
std::string diff_view(const StepPrediction& before, const StepPrediction& after, const DiffOptions& options);

// A condition on a change: 'step>+2%' (a relative change), 'step>+1ms' (an absolute one), 'memory>15GiB' (the new
// value). Metrics: step, exposed, memory, flops, hbm, wire.
struct Gate {
  std::string text;
  std::string metric;
  bool above = true;  // fails above `limit`; false: below
  bool or_equal = false;
  enum class Kind { kRelativeChange, kChange, kValue } kind = Kind::kRelativeChange;
  double limit = 0;
};

// Errors: InvalidArgument, saying what a condition looks like.
absl::StatusOr<Gate> parse_gate(std::string_view text);

// True if the condition holds, that is, the gate fails.
bool gate_fails(const Gate& gate, const StepPrediction& before, const StepPrediction& after);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_DIFF_H_
