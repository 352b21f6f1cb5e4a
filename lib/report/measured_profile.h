// What a profiler measured, op by op: XProf's hlo_stats table as CSV or JSON, or a Chrome (Perfetto) trace.
#ifndef HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_
#define HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::inline v0 {

struct MeasuredOp {
  std::string name;  // of the instruction, without %
  double occurrences = 0;
  double seconds = 0;  // of all occurrences, without what ran nested inside
};

// The ops of one program: names such as fusion.1 occur in many, and a profile may hold several.
struct MeasuredProgram {
  std::string name;             // as the profile gives it: "jit_step(1234)", an id, or empty
  double executions = 0;        // 0: the profile does not say
  double wall_seconds = 0;      // of all executions, from begin to end
  std::vector<MeasuredOp> ops;  // each name once, in the order in which they first appear
};

struct MeasuredProfile {
  std::string format;  // "hlo_stats CSV", "hlo_stats JSON", "Chrome trace"
  std::vector<MeasuredProgram> programs;
};

// Reads any of the three, told apart by the text itself. hlo_stats columns are found by their names, in any order: the
// op's name, its occurrences, its total self time in microseconds, and the program's id if there is one. Of a trace the
// events of the threads called "XLA Ops" of the first device count, else those with an argument hlo_op, else all
// complete events; the threads called "XLA Modules" tell programs and their runs apart. Errors: InvalidArgument with
// what is missing; those of parse_json.
absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_
