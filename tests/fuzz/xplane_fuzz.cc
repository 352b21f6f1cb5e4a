// Reads arbitrary xplane files. The result must be ops with times that add up, or a message.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_set>

#include "lib/profile/read_xspace.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

void check(const hloroof::internal::MeasuredProgram& program) {
  require(!program.ops.empty() && !program.devices.empty() && is_time(program.wall_seconds));
  std::unordered_set<std::string_view> names;
  for (const auto& op : program.ops) {
    require(!op.name.empty() && names.insert(op.name).second && is_time(op.seconds) && op.occurrences >= 1);
    require(op.by_device.size() == program.devices.size() && is_time(op.median_seconds));
    double sum = 0;
    for (const double seconds : op.by_device) sum += seconds;
    require(std::abs(sum - op.seconds) <= 1e-9 * op.seconds);
  }
  for (const auto& transfer : program.transfers) require(transfer.by_device.size() == program.devices.size());
  for (const auto& gap : program.gaps) require(is_time(gap.seconds) && gap.occurrences >= 1);
  double runs = 0;
  for (const auto& device : program.devices) {
    require(is_time(device.wall_seconds) && is_time(device.busy_seconds) && is_time(device.between_seconds));
    require(device.busy_seconds <= device.wall_seconds * (1 + 1e-9));
    runs += device.runs;
  }
  require(runs == program.executions);
  for (const auto& event : program.timeline) require(std::isfinite(event.begin) && is_time(event.seconds));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  hloroof::internal::XSpaceReader reader;
  const absl::Status status = reader.add(bytes, "fuzzed");
  if (!status.ok()) {
    require(!status.message().empty() && status.message().size() < 2000);
    return 0;
  }
  const auto profile = reader.take();
  if (!profile.ok()) return 0;
  require(!profile->programs.empty());
  for (const auto& program : profile->programs) check(program);
  for (const double seconds : profile->step_seconds) require(is_time(seconds));
  return 0;
}
