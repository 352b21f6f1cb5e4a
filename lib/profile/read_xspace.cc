#include "lib/profile/read_xspace.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/profile/xspace.h"
#include "lib/proto/fields.h"
#include "lib/proto/wire.h"

namespace hloroof::internal::inline profile {

struct XSpaceReader::Plane {
  const XPlane& plane;
  std::string host;
};

namespace {

using enum StatName;

constexpr std::string_view kTpuPlane = "/device:TPU:";
constexpr std::string_view kGpuPlane = "/device:GPU:";
constexpr std::string_view kHostPlane = "/host:CPU";
constexpr std::string_view kModulesPlane = "/host:metadata";
constexpr std::string_view kDevicePrefix = "/device:";
// Lines that XProf derives from the streams of a GPU, with every kernel once more.
constexpr std::string_view kDerivedLines[] = {"Steps",         "XLA Modules",          "XLA Ops",     "XLA TraceMe",
                                              "Framework Ops", "Framework Name Scope", "Source code", "Launch Stats"};

// "/device:TPU:0", and not a plane with other facts about a device, such as "/device:TPU:0 SparseCore 1".
bool is_device(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

// "fusion.3" of "%fusion.3 = f32[8] fusion(...)".
std::string_view op_name(std::string_view text) {
  if (text.starts_with('%')) text.remove_prefix(1);
  return text.substr(0, text.find(' '));
}

// "jit_step(1234)" from the stats hlo_module and program_id, as the modules of the profile are named.
std::string program_of(const Stats& stats) {
  std::string name(stats[kHloModule].text);
  if (!name.empty() && stats[kProgramId].is_integer) {
    absl::StrAppend(&name, "(", static_cast<std::uint64_t>(stats[kProgramId].integer), ")");
  }
  return name;
}

// When an event runs. A TPU states the times of its own clock as stats, which XProf prefers.
std::pair<std::int64_t, std::int64_t> time_of(const XEvent& event, bool use_device_clock) {
  if (!use_device_clock) return {event.begin, event.begin + event.duration};
  const std::int64_t begin = event.stats[kDeviceOffset].integer;
  return {begin, begin + event.stats[kDeviceDuration].integer};
}

bool has_device_time(const XEvent& event) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;  // ps, 26 days
  const StatValue& begin = event.stats[kDeviceOffset];
  const StatValue& duration = event.stats[kDeviceDuration];
  return begin.is_integer && duration.is_integer && begin.integer >= 0 && begin.integer < kMost &&
         duration.integer >= 0 && duration.integer < kMost;
}

bool is_tpu_line(std::string_view name) {
  return name == "XLA Ops" || name == "XLA Modules" || name == "Async XLA Ops";
}

// Whether all events of the lines that are read state the time of the device's clock.
absl::StatusOr<bool> uses_device_clock(const XPlane& plane) {
  bool all = true;
  for (const XLine& line : plane.lines()) {
    if (!is_tpu_line(line.name)) continue;
    absl::Status status = plane.each_event(line, [&](const XEvent& event) { all = all && has_device_time(event); });
    if (!status.ok()) return status;
  }
  return all;
}

}  // namespace

bool is_xspace(std::string_view bytes) {
  WireField field;
  if (!read_field(bytes, field) || field.number != fields::xspace::kPlanes || field.type != WireType::kBytes)
    return false;
  // A plane is a message that begins with its id, its name or a line; the name of a module is a text.
  std::string_view plane = field.bytes;
  WireField first;
  if (!read_field(plane, first)) return false;
  while (first.number == 1 && first.type == WireType::kVarint) {
    if (!read_field(plane, first)) return false;
  }
  return first.number == fields::xplane::kName && first.type == WireType::kBytes && first.bytes.starts_with('/');
}

absl::Status XSpaceReader::note_device(ProfiledBackend backend, const std::string& kind) {
  if (kind.empty() || backend < profile_.backend) return absl::OkStatus();
  if (backend == profile_.backend && !profile_.device_kind.empty() && profile_.device_kind != kind) {
    return invalid_argument("the profile has devices of several kinds: " + profile_.device_kind + " and " + kind);
  }
  profile_.backend = backend;
  profile_.device_kind = kind;
  return absl::OkStatus();
}

absl::Status XSpaceReader::add_tpu(const Plane& of) {
  const XPlane& plane = of.plane;
  const absl::StatusOr<bool> device_clock = uses_device_clock(plane);
  if (!device_clock.ok()) return device_clock.status();
  DeviceTrace trace;
  trace.host = of.host;
  trace.name = std::string(plane.name().substr(kDevicePrefix.size()));
  for (std::size_t i = 0; i < plane.lines().size(); ++i) {
    const XLine& line = plane.lines()[i];
    absl::Status status = plane.each_event(line, [&](const XEvent& event) {
      if (line.name == "Steps") {
        profile_.step_seconds.push_back(static_cast<double>(event.duration) * kSecondsPerPicosecond);
        return;
      }
      if (!is_tpu_line(line.name)) return;
      const auto [begin, end] = time_of(event, *device_clock);
      if (line.name == "XLA Modules") {
        trace.runs.push_back({std::string(event.name), begin, end});
        return;
      }
      const std::string_view name = op_name(event.display_name.empty() ? event.name : event.display_name);
      if (name.empty()) return;
      std::vector<TracedOp>& ops = line.name == "XLA Ops" ? trace.ops : trace.transfers;
      ops.push_back({.name = name, .program = program_of(event.stats), .line = i, .begin = begin, .end = end});
    });
    if (!status.ok()) return status;
  }
  if (trace.ops.empty()) return absl::OkStatus();
  traces_[ProfiledBackend::kTpu].push_back(std::move(trace));
  return note_device(ProfiledBackend::kTpu, std::string(plane.stats()[kDeviceType].text));
}

absl::Status XSpaceReader::add_gpu(const Plane& of) {
  const XPlane& plane = of.plane;
  DeviceTrace trace;
  trace.host = of.host;
  trace.name = std::string(plane.name().substr(kDevicePrefix.size()));
  trace.has_run_keys = true;
  for (std::size_t i = 0; i < plane.lines().size(); ++i) {
    const XLine& line = plane.lines()[i];
    if (std::find(std::begin(kDerivedLines), std::end(kDerivedLines), line.name) != std::end(kDerivedLines)) continue;
    absl::Status status = plane.each_event(line, [&](const XEvent& event) {
      const Stats& stats = event.stats;
      // A kernel that no op launched keeps its own name.
      const std::string_view name = stats[kHloOp].text.empty() ? event.name : stats[kHloOp].text;
      if (op_name(name).empty()) return;
      const StatValue& key = stats[kRunId].is_integer ? stats[kRunId] : stats[kGroupId];
      if (!stats[kHloOp].text.empty() && !key.is_integer) trace.has_run_keys = false;
      trace.ops.push_back({.name = op_name(name),
                           .program = program_of(stats),
                           .run = key.integer,
                           .line = i,
                           .begin = event.begin,
                           .end = event.begin + event.duration});
    });
    if (!status.ok()) return status;
  }
  if (trace.ops.empty()) return absl::OkStatus();
  traces_[ProfiledBackend::kGpu].push_back(std::move(trace));
  const Stats& stats = plane.stats();
  std::string kind = "GPU";
  if (stats[kCapabilityMajor].is_integer && stats[kCapabilityMinor].is_integer) {
    kind = absl::StrCat("sm_", stats[kCapabilityMajor].integer, stats[kCapabilityMinor].integer);
  }
  profile_.memory_bytes = std::max(profile_.memory_bytes, static_cast<double>(stats[kMemorySize].integer));
  return note_device(ProfiledBackend::kGpu, kind);
}

absl::Status XSpaceReader::add_cpu(const Plane& of) {
  const XPlane& plane = of.plane;
  std::map<std::int64_t, DeviceTrace> devices;
  for (std::size_t i = 0; i < plane.lines().size(); ++i) {
    absl::Status status = plane.each_event(plane.lines()[i], [&](const XEvent& event) {
      const Stats& stats = event.stats;
      if (stats[kStepNumber].is_integer) {
        host_steps_.push_back(static_cast<double>(event.duration) * kSecondsPerPicosecond);
      }
      const std::string_view name = op_name(stats[kHloOp].text);
      if (name.empty()) return;
      const std::int64_t ordinal = stats[kDeviceOrdinal].integer;
      DeviceTrace& trace = devices[ordinal];
      if (trace.ops.empty()) {
        trace.host = of.host;
        trace.name = absl::StrCat("CPU:", ordinal);
        trace.has_run_keys = true;
      }
      if (!stats[kRunId].is_integer) trace.has_run_keys = false;
      trace.ops.push_back({.name = name,
                           .program = program_of(stats),
                           .run = stats[kRunId].integer,
                           .line = i,
                           .begin = event.begin,
                           .end = event.begin + event.duration});
    });
    if (!status.ok()) return status;
  }
  for (auto& [ordinal, trace] : devices) traces_[ProfiledBackend::kCpu].push_back(std::move(trace));
  return devices.empty() ? absl::OkStatus() : note_device(ProfiledBackend::kCpu, "cpu");
}

// The plane of modules has an event for each program, whose stat is its HloProto.
void XSpaceReader::add_modules(const Plane& of) {
  for (const auto& [id, metadata] : of.plane.metadata()) {
    if (metadata.name.empty()) continue;
    for (std::string_view stat : metadata.stats) {
      const WireMessage hlo(WireMessage(stat).bytes(fields::stat::kBytes));
      const std::string_view module = hlo.bytes(fields::hlo::kModule);
      if (hlo.ok() && !module.empty()) modules_.try_emplace(std::string(metadata.name), module);
    }
  }
}

absl::Status XSpaceReader::add(std::string_view bytes, std::string_view name) {
  const absl::StatusOr<XSpace> space = read_xspace(bytes);
  if (!space.ok()) return space.status();
  const std::string host(space->host.empty() ? name : space->host);
  for (std::string_view plane_bytes : space->planes) {
    const absl::StatusOr<XPlane> plane = XPlane::read(plane_bytes);
    if (!plane.ok()) return plane.status();
    const Plane of{*plane, host};
    absl::Status status;
    if (is_device(plane->name(), kTpuPlane)) {
      status = add_tpu(of);
    } else if (is_device(plane->name(), kGpuPlane)) {
      status = add_gpu(of);
    } else if (plane->name() == kHostPlane) {
      status = add_cpu(of);
    } else if (plane->name() == kModulesPlane) {
      add_modules(of);
    }
    if (!status.ok()) return status;
  }
  // The names of ops point into the bytes, so they are summed before these go. The events of the host are those of the
  // program only if there is no device, which another host may still have.
  return absl::OkStatus();
}

absl::StatusOr<MeasuredProfile> XSpaceReader::take() {
  if (traces_.empty()) {
    return invalid_argument(
        "the profile has no op: no device's plane has events on a line \"XLA Ops\" or on a stream, and no thread of "
        "the "
        "host has events with the stat hlo_op. Was a compiled function called while the profiler ran?");
  }
  profile_.format = "XPlane";
  profile_.backend = traces_.rbegin()->first;
  std::vector<DeviceTrace>& traces = traces_.rbegin()->second;
  std::stable_sort(traces.begin(), traces.end(), [](const DeviceTrace& a, const DeviceTrace& b) {
    return std::pair(a.host, a.name) < std::pair(b.host, b.name);
  });
  for (DeviceTrace& trace : traces) collector_.add_device(std::move(trace));
  profile_.programs = collector_.take();
  for (MeasuredProgram& program : profile_.programs) {
    const auto module = modules_.find(program.name);
    if (module != modules_.end()) program.module = module->second;
  }
  if (profile_.step_seconds.empty()) profile_.step_seconds = std::move(host_steps_);
  traces_.clear();
  return std::move(profile_);
}

}  // namespace hloroof::internal::inline profile
