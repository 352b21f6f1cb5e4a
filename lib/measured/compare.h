// Compares the predicted time of each op with its measured time.
#ifndef HLOROOF_LIB_MEASURED_COMPARE_H_
#define HLOROOF_LIB_MEASURED_COMPARE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/predict.h"
#include "lib/describe/schema.h"
#include "lib/describe/table.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline measured {

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

// A scope of the traced program, with everything in it, per step. As Layer in layers.h.
struct ComparedLayer {
  std::string path;
  std::int64_t depth = 0;  // 0: at the top
  double measured = 0;
  double predicted = 0;
};

// An op that waits for a transfer: the end of an asynchronous one, or a synchronous collective. Seconds per step.
struct ComparedWait {
  std::string name;
  double measured = 0;                        // that the op takes
  double predicted = 0;                       // that the compute stream spends in it
  std::optional<double> measured_in_flight;   // of the transfer; nullopt if the profile does not show it
  std::optional<double> predicted_in_flight;  // nullopt if the op is no end of a transfer
};

// One device of the profile; seconds per run of the program.
struct ComparedDevice {
  std::string host;
  std::string name;
  double runs = 0;
  double step_seconds = 0;
  double busy_seconds = 0;     // in which at least one op runs
  double own_seconds = 0;      // in ops that do not wait for other devices or transfers
  double wait_seconds = 0;     // in the ops of ComparedWait
  double between_seconds = 0;  // without a program before the next run
  double over_median = 0;      // own_seconds / their median over all devices - 1
  bool is_straggler = false;   // its own ops take over 5 % longer than the median, so that the others wait for it
  std::string slowest_op;      // of a straggler: the op with the most time over its median
  double slowest_op_over_seconds = 0;
};

struct ProfileComparison {
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

  // The rest is empty unless the profile is an xplane file.
  std::string run;                            // the folder of the profile
  std::string device_kind;                    // "TPU v5 lite"
  std::optional<double> marked_step_seconds;  // mean of the steps that the program marked, with what is around them
  std::vector<ComparedLayer> layers;          // in preorder
  std::vector<ComparedWait> waits;            // longest measured first
  std::vector<MeasuredGap> gaps;              // longest first; seconds and occurrences per step
  std::vector<ComparedDevice> devices;        // by host and name
  std::vector<MeasuredEvent> timeline;        // one run of the first device
};

// Matches ops by name. If the profile has several programs, compares the one with the name of the module. If no program
// has that name, compares the one that spends the most time in ops of the module. Errors: InvalidArgument if no op of
// the profile is in the module; for an xplane file also if less than half of the time is in ops of the module, or if
// the profile is of another backend than the module or the device.
absl::StatusOr<ProfileComparison> compare(const StepPrediction& prediction, const MeasuredProfile& profile);

struct CompareOptions : TextLayout {
  std::size_t limit = 20;  // rows before [N others]; 0: all
};

// Formats totals, bias by category, and ops as text. Marks each op that takes over twice its prediction or its roof.
// The rows of the op table add up to the measured and the predicted step of the first lines.
std::string compare_view(const StepPrediction& prediction, const ProfileComparison& comparison,
                         const CompareOptions& options);

// Schema "hloroof.comparison/1"; SI units.
std::string comparison_json(const StepPrediction& prediction, const ProfileComparison& comparison);

// Writes one line for each op: first the ops in both, then those only in the profile, then those only in the module. A
// cell is empty if its side does not have the op.
std::string comparison_csv(const ProfileComparison& comparison);

// The fields of a comparison and of all records in it.
ResultTable comparison_table();

}  // namespace hloroof::internal::inline measured

#endif  // HLOROOF_LIB_MEASURED_COMPARE_H_
