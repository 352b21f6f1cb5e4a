// The measured time of each op, from a profiler: XProf's hlo_stats table as CSV or JSON, a Chrome (Perfetto) trace, or
// the folder of *.xplane.pb files that jax.profiler.trace writes.
#ifndef HLOROOF_LIB_PROFILE_MEASURED_PROFILE_H_
#define HLOROOF_LIB_PROFILE_MEASURED_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline profile {

struct MeasuredOp {
  std::string name;  // of the instruction, without %
  double occurrences = 0;
  double seconds = 0;                  // of all occurrences on all devices, without nested events
  std::vector<double> by_device = {};  // the parts of `seconds`; as MeasuredProgram::devices, or empty
  double median_seconds = 0;           // of one occurrence; 0 unless the profile has each of them
};

// A time within the runs of a program in which no op runs.
struct MeasuredGap {
  std::string after;   // the op that ends last before it
  std::string before;  // the op that begins after it
  double occurrences = 0;
  double seconds = 0;  // of all occurrences on all devices
};

// One device that ran a program.
struct MeasuredDevice {
  std::string host;
  std::string name;  // "TPU:0"
  double runs = 0;
  double wall_seconds = 0;     // of all runs
  double busy_seconds = 0;     // the part of it in which at least one op runs
  double between_seconds = 0;  // between its runs of any program and the next run of this one
};

// An op in the run that the timeline shows.
struct MeasuredEvent {
  std::string name;
  std::size_t lane = 0;  // the line of the profile: a thread, a stream or a queue
  double begin = 0;      // s after the start of the run
  double seconds = 0;
};

// The ops of one program. A profile may hold several programs, and names such as fusion.1 occur in many of them.
struct MeasuredProgram {
  std::string name;             // as in the profile: "jit_step(1234)", an id, or empty
  double executions = 0;        // on all devices together; 0: not in the profile
  double wall_seconds = 0;      // of all executions, wall time
  std::vector<MeasuredOp> ops;  // each name once, in the order of first appearance
  // The rest is only in an xplane file.
  std::vector<MeasuredOp> transfers;    // in flight next to the ops, by the name of their start
  std::vector<MeasuredGap> gaps;        // longest first
  std::vector<MeasuredDevice> devices;  // by host and name
  std::vector<MeasuredEvent> timeline;  // of the run of the median length on the first device, in order of begin
  std::string module;                   // HloModuleProto; empty if the profile does not have it
};

enum class ProfiledBackend : std::uint8_t { kUnknown, kCpu, kGpu, kTpu };

struct MeasuredProfile {
  std::string format;  // "hlo_stats CSV", "hlo_stats JSON", "Chrome trace", "XPlane"
  std::vector<MeasuredProgram> programs;
  // The rest is only in an xplane file.
  std::string run;  // the name of the folder: "2026_11_23_20_51_43"
  ProfiledBackend backend = ProfiledBackend::kUnknown;
  std::string device_kind;           // "TPU v5 lite", "sm_90"; empty if the profile does not say it
  double memory_bytes = 0;           // of a GPU; 0 if the profile does not say it
  std::vector<double> step_seconds;  // of the steps that the program marked, on each device or host
};

// Reads hlo_stats or a trace, which it detects from the text. Finds hlo_stats columns by their names, in any order:
// the name of the op, its occurrences, its total self time in microseconds, and optionally the program id. In a trace,
// reads the events of the first device on threads with the name "XLA Ops". Without such threads, reads the events that
// have an argument hlo_op; without those, all complete events. The threads with the name "XLA Modules" separate
// programs and their runs. Errors: InvalidArgument that names what is missing; those of parse_json.
absl::StatusOr<MeasuredProfile> read_profile(std::string_view text, std::string_view path);

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_MEASURED_PROFILE_H_
