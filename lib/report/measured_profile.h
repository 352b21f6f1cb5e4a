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

struct MeasuredProfile {
  std::string format;           // "hlo_stats CSV", "hlo_stats JSON", "Chrome trace"
  std::vector<MeasuredOp> ops;  // each name once, in the order in which they first appear
};

// Reads any of the three, told apart by the text itself. hlo_stats columns are found by their names, in any order: the
// op's name, its occurrences, and its total self time in microseconds. Of a trace the events of the threads called "XLA
// Ops" of the first process that has one count, of a trace without such threads all complete events. Errors:
// InvalidArgument with what is missing; those of parse_json.
absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_MEASURED_PROFILE_H_
