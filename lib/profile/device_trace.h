// From the events of one device to times of ops: self times, runs, gaps and a timeline.
#ifndef HLOROOF_LIB_PROFILE_DEVICE_TRACE_H_
#define HLOROOF_LIB_PROFILE_DEVICE_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline profile {

inline constexpr double kSecondsPerPicosecond = 1e-12;

// An event of an op. Times are picoseconds.
struct TracedOp {
  std::string_view name;
  std::string program;   // "jit_step(1234)"; empty: that of the run it is in
  std::int64_t run = 0;  // a key of the run, if DeviceTrace::has_run_keys
  std::size_t line = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t self = 0;  // without nested events; set by add_device()
};

struct TracedRun {
  std::string program;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct DeviceTrace {
  std::string host;
  std::string name;
  std::vector<TracedOp> ops;
  std::vector<TracedOp> transfers;
  std::vector<TracedRun> runs;  // as the profile has them; empty: they follow from the ops
  bool has_run_keys = false;
};

// Sums the traces of all devices by program. The names of ops must live until take().
class TraceCollector {
 public:
  void add_device(DeviceTrace trace);
  // The programs that have ops, in the order of first appearance.
  std::vector<MeasuredProgram> take();

 private:
  struct Program {
    MeasuredProgram measured;
    std::map<std::string, std::size_t, std::less<>> ops;
    std::vector<std::vector<double>> samples;  // of each op, seconds; some of the occurrences if there are many
    std::map<std::string, std::size_t, std::less<>> transfers;
    std::map<std::pair<std::string_view, std::string_view>, MeasuredGap> gaps;  // by the ops around them
  };

  std::size_t index_of(std::string_view program);
  void add_runs(const DeviceTrace& trace, const std::vector<std::size_t>& order,
                const std::vector<std::size_t>& run_of);

  std::vector<Program> programs_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_DEVICE_TRACE_H_
