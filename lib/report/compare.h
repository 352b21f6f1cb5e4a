// Predicted against measured, op by op.
#ifndef HLOROOF_LIB_REPORT_COMPARE_H_
#define HLOROOF_LIB_REPORT_COMPARE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/report/measured_profile.h"

namespace hloroof::inline v0 {

struct ComparedOp {
  std::string name;
  std::string category;
  double measured = 0;   // seconds of a step
  double predicted = 0;  // seconds of a step: what the compute stream spends or waits
  double roof = 0;       // seconds of a step at the nominal peak of the resource that bounds it

  // Over twice the prediction, or the roof.
  bool is_slow() const;
  bool is_off_roof() const;
};

struct Comparison {
  std::string format;                  // of the profile
  std::string program;                 // of the profile, where it tells several apart
  double steps = 1;                    // in the profile
  double measured_seconds = 0;         // of a step, all ops of the program
  std::optional<double> step_seconds;  // of a step, from its begin to its end, where the profile says
  double explained_seconds = 0;        // of a step, the ops that are in the module too
  double other_seconds = 0;            // of the whole profile, the ops of other programs
  std::vector<ComparedOp> ops;         // in both, the longest measured first
  std::vector<ComparedOp> categories;
  std::vector<MeasuredOp> unmatched;   // measured only, longest first; seconds and occurrences of a step
  std::vector<ComparedOp> unmeasured;  // predicted only, longest first
};

// Ops meet by name. Of a profile of several programs the one counts that is called as the module is, else the one that
// has most time in ops of the module. Errors: InvalidArgument if no op of the profile is in the module.
absl::StatusOr<Comparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile);

struct CompareOptions {
  std::size_t limit = 20;  // rows before [N others]; 0: all
  std::size_t width = 80;
};

// As text: totals, bias by category, and ops; what takes over twice its prediction or its roof is marked.
std::string compare_view(const StepPrediction& prediction, const Comparison& comparison, const CompareOptions& options);

// Schema "hloroof.comparison/1": totals, categories[], ops[], unmatched[], unmeasured[]; SI units.
std::string comparison_json(const StepPrediction& prediction, const Comparison& comparison);

// A line for each op: of both, of the profile alone (predicted_seconds empty), of the module alone (measured_seconds
// empty).
std::string comparison_csv(const Comparison& comparison);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_COMPARE_H_
