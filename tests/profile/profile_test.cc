// What is read from the samples, and how they are found.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/profile/profile_folder.h"
#include "lib/profile/read_xspace.h"
#include "lib/proto/fields.h"
#include "lib/proto/wire.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace hloroof::internal {
namespace {

constexpr const char* kTpu = "tests/profile/samples/tpu";
constexpr const char* kCpu = "tests/profile/samples/cpu";
constexpr const char* kFourCpus = "tests/profile/samples/four_cpus";
constexpr const char* kGpu = "tests/profile/samples/gpu";

const MeasuredOp& op_named(const std::vector<MeasuredOp>& ops, std::string_view name) {
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const MeasuredOp& op) { return op.name == name; });
  REQUIRE(found != ops.end());
  return *found;
}

TEST_CASE("profiles: what each sample holds") {
  struct Case {
    const char* path;
    ProfiledBackend backend;
    const char* kind;
    const char* program;  // the first
    std::size_t devices;
    double executions;
    std::size_t ops;
    std::size_t steps;
    bool has_module;
  };
  const Case cases[] = {
      {kTpu, ProfiledBackend::kTpu, "TPU v5 lite", "jit_step(1234567890123)", 4, 12, 8, 12, true},
      {kGpu, ProfiledBackend::kGpu, "sm_80", "jit_step(42)", 2, 6, 4, 0, false},
      {kCpu, ProfiledBackend::kCpu, "cpu", "jit_train_step(8)", 1, 5, 22, 5, true},
      {kFourCpus, ProfiledBackend::kCpu, "cpu", "jit_f(10)", 4, 12, 15, 3, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const auto profile = load_profile(c.path);
    REQUIRE(profile.ok());
    CHECK(profile->format == "XPlane");
    CHECK(profile->backend == c.backend);
    CHECK(profile->device_kind == c.kind);
    CHECK(profile->step_seconds.size() == c.steps);
    REQUIRE_FALSE(profile->programs.empty());
    const MeasuredProgram& program = profile->programs.front();
    CHECK(program.name == c.program);
    CHECK(program.devices.size() == c.devices);
    CHECK(program.executions == c.executions);
    CHECK(program.ops.size() == c.ops);
    CHECK(program.module.empty() != c.has_module);
    CHECK_FALSE(program.timeline.empty());
  }
}

TEST_CASE("profiles: self times, transfers and devices of a TPU") {
  const auto profile = load_profile(kTpu);
  REQUIRE(profile.ok());
  const MeasuredProgram& program = profile->programs.front();
  // As XProf 2.24.2 has them: see tests/differential/profiles.py.
  CHECK(op_named(program.ops, "while.1").seconds == Approx(359.377199e-6));
  CHECK(op_named(program.ops, "fusion.7").seconds == Approx(2881.97482e-6));
  CHECK(op_named(program.ops, "fusion.7").occurrences == 36);
  CHECK(op_named(program.ops, "fusion.7").median_seconds == Approx(80e-6).epsilon(0.01));
  CHECK(op_named(program.transfers, "copy-start.1").occurrences == 12);
  const MeasuredOp& slow = op_named(program.ops, "fusion.1");
  REQUIRE(program.devices.size() == 4);
  CHECK(program.devices[3].host == "host-b");
  CHECK(program.devices[3].name == "TPU:1");
  CHECK(slow.by_device[3] == Approx(1.3 * slow.by_device[0]).epsilon(0.01));
  double gaps = 0;
  for (const MeasuredGap& gap : program.gaps) gaps += gap.seconds;
  double idle = 0;
  for (const MeasuredDevice& device : program.devices) idle += device.wall_seconds - device.busy_seconds;
  CHECK(gaps <= idle);  // the rest is before the first and after the last op of a run
  CHECK(gaps > 0.5 * idle);
}

TEST_CASE("profiles: the kernels of one op on a GPU are one op, and runs begin with the same op") {
  const auto profile = load_profile(kGpu);
  REQUIRE(profile.ok());
  const MeasuredProgram& program = profile->programs.front();
  CHECK(op_named(program.ops, "cublas-gemm.3").occurrences == 12);  // two kernels, three runs, two devices
  CHECK(program.executions == 6);
  CHECK(profile->memory_bytes == 85e9);
}

TEST_CASE("profiles: the newest run below a folder") {
  const TemporaryFolder folder;
  namespace fs = std::filesystem;
  const std::string root = folder.path() + "/trace";
  for (const char* run : {"2026_01_02_00_00_00", "2026_11_01_00_00_00", "2025_12_31_23_59_59"}) {
    const fs::path made = fs::path(root) / "plugins" / "profile" / run;
    fs::create_directories(made);
    for (const char* host : {"b", "a"}) std::ofstream(made / (std::string(host) + ".xplane.pb")) << "x";
    std::ofstream(made / "a.trace.json.gz") << "x";
  }
  const auto found = find_profile(root);
  REQUIRE(found.ok());
  CHECK(found->run == "2026_11_01_00_00_00");
  REQUIRE(found->paths.size() == 2);
  CHECK(found->paths[0].ends_with("2026_11_01_00_00_00/a.xplane.pb"));
  CHECK(find_profile(root + "/plugins/profile/2026_01_02_00_00_00")->run == "2026_01_02_00_00_00");
  fs::create_directories(folder.path() + "/empty");
  const auto none = find_profile(folder.path() + "/empty");
  CHECK(none.status().code() == absl::StatusCode::kNotFound);
  CHECK_THAT(std::string(none.status().message()), ContainsSubstring("no profile in the folder"));
  CHECK(find_profile(folder.path() + "/missing").status().code() == absl::StatusCode::kNotFound);
}

TEST_CASE("profiles: limits and files of other kinds") {
  const auto large = load_profile(kCpu, 1000);
  CHECK(large.status().code() == absl::StatusCode::kResourceExhausted);
  const TemporaryFolder folder;
  const std::string text = folder.write("t.xplane.pb", "HloModule m");
  const auto wrong = load_profile(text);
  REQUIRE_FALSE(wrong.ok());
  CHECK_THAT(std::string(wrong.status().message()), ContainsSubstring("not a profile, or truncated"));
}

// A line with one event that begins and lasts so many picoseconds.
std::string plane_with_event(std::int64_t line_ns, std::int64_t offset, std::int64_t duration) {
  WireWriter event;
  event.integer(fields::xevent::kMetadataId, 1);
  event.integer(fields::xevent::kOffsetPs, offset);
  event.integer(fields::xevent::kDurationPs, duration);
  WireWriter first;
  first.text(fields::xline::kName, "Source code");  // a line that is not read
  first.bytes(fields::xline::kEvents, "");
  WireWriter line;
  line.text(fields::xline::kName, "XLA Ops");
  line.integer(fields::xline::kTimestampNs, line_ns);
  line.bytes(fields::xline::kEvents, event.view());
  WireWriter metadata;
  metadata.text(fields::event_metadata::kName, "%add.1 = f32[] add()");
  WireWriter entry;
  entry.integer(fields::map_entry::kKey, 1);
  entry.bytes(fields::map_entry::kValue, metadata.view());
  WireWriter plane;
  plane.text(fields::xplane::kName, "/device:TPU:0");
  plane.bytes(fields::xplane::kLines, first.view());
  plane.bytes(fields::xplane::kLines, line.view());
  plane.bytes(fields::xplane::kEventMetadata, entry.view());
  WireWriter space;
  space.bytes(fields::xspace::kPlanes, plane.view());
  return space.take();
}

TEST_CASE("profiles: times out of range are an error") {
  struct Case {
    std::int64_t line_ns, offset, duration;
    bool ok;
  };
  const Case cases[] = {
      {0, 0, 5, true},
      {1'700'000'000, 1000, 0, true},
      {1'700'000'000'000'000'000, 0, 5, false},  // the first line begins at 0
      {INT64_MAX, 0, 5, false},
      {INT64_MIN, 0, 5, false},
      {0, INT64_MAX, 5, false},
      {1'000'000, INT64_MIN, 5, false},
      {0, 0, -5, false},
      {0, 0, INT64_MAX, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.line_ns, c.offset, c.duration);
    XSpaceReader reader;
    CHECK(reader.add(plane_with_event(c.line_ns, c.offset, c.duration), "h").ok() == c.ok);
  }
}

}  // namespace
}  // namespace hloroof::internal
