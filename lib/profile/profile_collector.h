// Helpers that the readers of profiles share.
#ifndef HLOROOF_LIB_PROFILE_PROFILE_COLLECTOR_H_
#define HLOROOF_LIB_PROFILE_PROFILE_COLLECTOR_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/base/json.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline profile {

inline constexpr double kMicrosecond = 1e-6;

// Sums times by program and name. Removes a leading %, which belongs to the printed form, and reduces "%fusion.3 = ..."
// to its name because XProf may print it so in a name column. Ignores entries without a finite time.
class ProfileCollector {
 public:
  void add(std::string_view program, std::string_view name, double occurrences, double seconds);
  // Adds one run of a program, with its wall time.
  void add_execution(std::string_view program, double seconds);
  // Omits programs without ops. Errors: InvalidArgument if no program remains.
  absl::StatusOr<MeasuredProfile> take(std::string format, std::string_view path);

 private:
  MeasuredProgram& program(std::string_view name);

  MeasuredProfile profile_;
  std::map<std::string, std::size_t, std::less<>> programs_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> ops_;
};

double number_of(const std::string& cell);               // NaN if the cell has no number
const std::string& string_in(const OrderedJson* value);  // empty if not a string
double number_in(const OrderedJson* value);              // of a number, or of a string with a number
std::string text_in(const OrderedJson* value);           // of a string or a whole number

// Reads the events of a Chrome trace.
absl::StatusOr<MeasuredProfile> read_trace_events(const OrderedJson& events, std::string_view path);

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_PROFILE_COLLECTOR_H_
