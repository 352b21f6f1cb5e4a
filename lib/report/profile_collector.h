// What the readers of profiles share.
#ifndef HLOROOF_LIB_REPORT_PROFILE_COLLECTOR_H_
#define HLOROOF_LIB_REPORT_PROFILE_COLLECTOR_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/base/json.h"
#include "lib/report/measured_profile.h"

namespace hloroof::inline v0 {

inline constexpr double kMicrosecond = 1e-6;

// Sums up by program and name. A leading % belongs to the printed form; XProf may give "%fusion.3 = ..." where a name
// is asked for. What has no finite time is left out.
class ProfileCollector {
 public:
  void add(std::string_view program, std::string_view name, double occurrences, double seconds);
  // One run of a program, from its begin to its end.
  void add_execution(std::string_view program, double seconds);
  // Programs without an op are left out. Errors: InvalidArgument if none is left.
  absl::StatusOr<MeasuredProfile> take(std::string format, std::string_view path);

 private:
  MeasuredProgram& program(std::string_view name);

  MeasuredProfile profile_;
  std::map<std::string, std::size_t, std::less<>> programs_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> ops_;
};

double number_of(const std::string& cell);             // not a number if there is none
const std::string& string_in(const JsonValue* value);  // empty for all but strings
double number_in(const JsonValue* value);              // of a number, or of a string that holds one
std::string text_in(const JsonValue* value);           // of a string, or of a whole number

// The events of a Chrome trace.
absl::StatusOr<MeasuredProfile> read_trace_events(const JsonValue& events, std::string_view path);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_PROFILE_COLLECTOR_H_
