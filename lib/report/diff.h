// Reports the changes between two predictions.
#ifndef HLOROOF_LIB_REPORT_DIFF_H_
#define HLOROOF_LIB_REPORT_DIFF_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"

namespace hloroof::internal {

struct DiffOptions {
  std::size_t width = 80;
  std::size_t limit = 20;  // ops; 0: all
};

// Formats the signed changes of the step, its totals, categories and ops, largest first. Matches ops by name. The rows
// add up to the change of the step.
std::string diff_view(const StepPrediction& before, const StepPrediction& after, const DiffOptions& options);

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

// Returns true if the condition holds, which means that the gate fails.
bool gate_fails(const Gate& gate, const StepPrediction& before, const StepPrediction& after);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_DIFF_H_
