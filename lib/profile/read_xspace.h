// Reads the *.xplane.pb files of one run of the profiler, one from each host.
#ifndef HLOROOF_LIB_PROFILE_READ_XSPACE_H_
#define HLOROOF_LIB_PROFILE_READ_XSPACE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/profile/device_trace.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline profile {

// Whether `bytes` look like an XSpace. No text does, and neither does an HloModuleProto, which begins with a name.
bool is_xspace(std::string_view bytes);

// Collects the hosts of a run. On a TPU an op is an event of the line "XLA Ops" of a device's plane, a run of a program
// one of "XLA Modules", a transfer one of "Async XLA Ops", and a step one of "Steps". On a GPU an op is each kernel on
// a stream that has the stat hlo_op. On a CPU it is an event with that stat on any thread of the host.
class XSpaceReader {
 public:
  // `name` is that of the host, if the file has none. Errors: InvalidArgument if the bytes are malformed.
  absl::Status add(std::string_view bytes, std::string_view name);
  // Errors: InvalidArgument if no host has ops, or if the hosts have devices of several kinds.
  absl::StatusOr<MeasuredProfile> take();

 private:
  struct Plane;
  absl::Status add_tpu(const Plane& plane);
  absl::Status add_gpu(const Plane& plane);
  absl::Status add_cpu(const Plane& plane);
  void add_modules(const Plane& plane);
  absl::Status note_device(ProfiledBackend backend, const std::string& kind);

  MeasuredProfile profile_;
  TraceCollector collector_;
  std::map<std::string, std::string, std::less<>> modules_;  // HloModuleProto by program
  std::vector<double> host_steps_;
  std::map<ProfiledBackend, std::vector<DeviceTrace>> traces_;
};

}  // namespace hloroof::internal::inline profile

#endif  // HLOROOF_LIB_PROFILE_READ_XSPACE_H_
