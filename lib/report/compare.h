// Compares the predicted time of each op with its measured time.
#ifndef HLOROOF_LIB_REPORT_COMPARE_H_
#define HLOROOF_LIB_REPORT_COMPARE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/report/measured_profile.h"
#include "lib/report/schema.h"
#include "lib/report/table.h"

namespace hloroof::internal {

struct ComparedOp {
  std::string name;
  std::string category;
  double measured = 0;   // seconds per step
  double predicted = 0;  // seconds per step: the time that the compute stream spends on the op or waits for it
  double roof = 0;       // seconds per step at the nominal peak of the bounding resource
  // The main terms of the prediction, for an op that is slow or off its roof: "rows streamed 1.2 ms, HBM reads 80 us".
  std::string terms;

  // True if the measured time is over twice the prediction (is_slow) or over twice the roof (is_off_roof).
  bool is_slow() const;
  bool is_off_roof() const;
};

struct Comparison {
  std::string format;                  // of the profile
  std::string program;                 // of the profile; empty if the profile does not name its programs
  double steps = 1;                    // in the profile
  double measured_seconds = 0;         // per step, all ops of the program
  std::optional<double> step_seconds;  // wall time of one step; nullopt if the profile does not record it
  double explained_seconds = 0;        // per step, the ops that are also in the module
  double other_seconds = 0;            // of the whole profile, the ops of other programs
  std::vector<ComparedOp> ops;         // ops in both, longest measured first
  std::vector<ComparedOp> categories;
  std::vector<MeasuredOp> unmatched;   // measured only, longest first; seconds and occurrences per step
  std::vector<ComparedOp> unmeasured;  // predicted only, longest first
};

// Matches ops by name. If the profile has several programs, compares the one with the name of the module. If no program
// has that name, compares the one that spends the most time in ops of the module. Errors: InvalidArgument if no op of
// the profile is in the module.
absl::StatusOr<Comparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile);

struct CompareOptions : TextLayout {
  std::size_t limit = 20;  // rows before [N others]; 0: all
};

// Formats totals, bias by category, and ops as text. Marks each op that takes over twice its prediction or its roof.
// The rows of the op table add up to the measured and the predicted step of the first lines.
std::string compare_view(const StepPrediction& prediction, const Comparison& comparison, const CompareOptions& options);

// Schema "hloroof.comparison/1"; SI units.
std::string comparison_json(const StepPrediction& prediction, const Comparison& comparison);

// Writes one line for each op: first the ops in both, then those only in the profile, then those only in the module. A
// cell is empty if its side does not have the op.
std::string comparison_csv(const Comparison& comparison);

// The fields of a comparison and of all records in it.
ResultTable comparison_table();

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_COMPARE_H_
