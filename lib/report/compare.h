// Predicted against measured, op by op.
#ifndef HLOROOF_LIB_REPORT_COMPARE_H_
#define HLOROOF_LIB_REPORT_COMPARE_H_

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
};

struct Comparison {
  double steps = 1;              // in the profile, as the occurrences tell
  double measured_seconds = 0;   // of a step, all ops of the profile
  double explained_seconds = 0;  // of a step, the ops that are in the module too
  std::vector<ComparedOp> ops;   // in both, the longest measured first
  std::vector<ComparedOp> categories;
  std::vector<MeasuredOp> unmatched;  // measured only, longest first; seconds and occurrences of a step
};

// Ops meet by name. Errors: InvalidArgument if no op of the profile is in the module.
absl::StatusOr<Comparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile);

struct CompareOptions {
  std::size_t limit = 20;  // rows before [N others]; 0: all
  std::size_t width = 80;
};

// As text: totals, bias by category, and ops; what takes over twice its prediction or its roof is marked.
std::string compare_view(const StepPrediction& prediction, const Comparison& comparison, const MeasuredProfile& profile,
                         const CompareOptions& options);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_COMPARE_H_
