// The measured time of each op, from a profiler: XProf's hlo_stats table as CSV or JSON, or a Chrome (Perfetto) trace.
#ifndef HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_
#define HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal {

struct MeasuredOp {
  std::string name;  // of the instruction, without %
  double occurrences = 0;
  double seconds = 0;  // of all occurrences, without nested events
};

// The ops of one program. A profile may hold several programs, and names such as fusion.1 occur in many of them.
struct MeasuredProgram {
  std::string name;             // as in the profile: "jit_step(1234)", an id, or empty
  double executions = 0;        // 0: not in the profile
  double wall_seconds = 0;      // of all executions, wall time
  std::vector<MeasuredOp> ops;  // each name once, in the order of first appearance
};

struct MeasuredProfile {
  std::string format;  // "hlo_stats CSV", "hlo_stats JSON", "Chrome trace"
  std::vector<MeasuredProgram> programs;
};

// Reads any of the three formats, which it detects from the text. Finds hlo_stats columns by their names, in any order:
// the name of the op, its occurrences, its total self time in microseconds, and optionally the program id. In a trace,
// reads the events of the first device on threads with the name "XLA Ops". Without such threads, reads the events that
// have an argument hlo_op; without those, all complete events. The threads with the name "XLA Modules" separate
// programs and their runs. Errors: InvalidArgument that names what is missing; those of parse_json.
absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path);

// Reads the file `path`, as SourceText::read does. Errors: also those of that.
absl::StatusOr<MeasuredProfile> load_profile(const std::string& path);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_
