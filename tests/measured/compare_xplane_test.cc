// Comparisons with the folder that jax.profiler.trace writes.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "lib/hardware/settings.h"
#include "lib/measured/compare.h"
#include "lib/measured/profiled_program.h"
#include "lib/page/html_report.h"
#include "lib/profile/profile_folder.h"
#include "tests/any_backend.h"
#include "tests/catch.h"

namespace hloroof::internal {
namespace {

constexpr const char* kTpu = "tests/profile/samples/tpu";
constexpr const char* kCpu = "tests/profile/samples/cpu";
constexpr const char* kGpu = "tests/profile/samples/gpu";

struct Compared {
  std::unique_ptr<Module> module;  // to which the facts of the prediction point
  StepPrediction prediction;
  ProfileComparison comparison;
};

// Compares a profile with its own program on the device that it names.
Compared compared(const std::string& path) {
  const auto profile = load_profile(path);
  REQUIRE(profile.ok());
  auto loaded = profiled_module(*profile, ParseOptions());
  REQUIRE(loaded.ok());
  auto module = std::make_unique<Module>(*std::move(loaded));
  const auto name = profiled_device(*profile);
  REQUIRE(name.ok());
  const absl::StatusOr<Target> target = find_target(*name);
  REQUIRE(target.ok());
  auto prediction = predict_step_time(*module, *target, any_backend());
  REQUIRE(prediction.ok());
  auto comparison = compare(*prediction, *profile);
  CAPTURE(std::string(comparison.status().message()));
  REQUIRE(comparison.ok());
  return {std::move(module), *std::move(prediction), *std::move(comparison)};
}

TEST_CASE("xplane: a TPU profile names its device, its program and the device that holds the others up") {
  const Compared c = compared(kTpu);
  CHECK(c.prediction.device == "tpu_v5e");
  CHECK(c.comparison.device_kind == "TPU v5 lite");
  CHECK(c.comparison.run == "2026_11_23_12_00_00");
  CHECK(c.comparison.steps == 12);
  REQUIRE(c.comparison.devices.size() == 4);
  for (const ComparedDevice& device : c.comparison.devices) {
    const bool is_slow = device.host == "host-b" && device.name == "TPU:1";
    CHECK(device.is_straggler == is_slow);
    CHECK(device.own_seconds + device.wait_seconds <= device.busy_seconds * (1 + 1e-9));
    if (is_slow) CHECK(device.slowest_op == "fusion.1");
  }
  REQUIRE(c.comparison.waits.size() == 2);
  CHECK(c.comparison.waits[0].name == "all-reduce.1");
  CHECK_FALSE(c.comparison.waits[0].measured_in_flight);
  CHECK(c.comparison.waits[1].name == "copy-done.1");
  CHECK(c.comparison.waits[1].measured_in_flight.value() > 10 * c.comparison.waits[1].measured);
  CHECK(c.comparison.waits[1].predicted_in_flight.value() > 0);
  double layers = 0;
  for (const ComparedLayer& layer : c.comparison.layers) layers += layer.depth == 0 ? layer.measured : 0;
  CHECK(layers == Approx(c.comparison.measured_seconds));
  const std::string text = compare_view(c.prediction, c.comparison, CompareOptions());
  CHECK_THAT(text, ContainsSubstring("3 steps on each of 4 devices"));
  CHECK_THAT(text, ContainsSubstring("host-b TPU:1 holds the others up"));
}

TEST_CASE("xplane: a profile of the CPU names the generic one") {
  const Compared c = compared(kCpu);
  CHECK(c.prediction.module_name == "jit_train_step");
  CHECK(c.comparison.unmatched.empty());
  CHECK(c.comparison.ops.size() == 22);
  CHECK(c.comparison.marked_step_seconds.value() > c.comparison.step_seconds.value());
  CHECK_FALSE(c.comparison.gaps.empty());
  CHECK(c.prediction.device == "cpu");
  for (const Diagnostic& found : c.prediction.diagnostics) CHECK(found.code != DiagnosticCode::kWrongBackend);
}

TEST_CASE("xplane: the page has the measured run above the predicted one") {
  const Compared c = compared(kTpu);
  const std::string page = html_report(c.prediction, c.comparison.timeline);
  const std::size_t measured = page.find("\"measured\",0");
  const std::size_t predicted = page.find("\"compute\",", measured);
  CHECK(measured != std::string::npos);
  CHECK(predicted != std::string::npos);
}

TEST_CASE("xplane: profiles of other programs and machines are refused") {
  const auto tpu = load_profile(kTpu);
  const auto cpu = load_profile(kCpu);
  const auto gpu = load_profile(kGpu);
  REQUIRE((tpu.ok() && cpu.ok() && gpu.ok()));
  const Compared on_tpu = compared(kTpu);
  const Compared on_cpu = compared(kCpu);
  constexpr const char* kOther = R"(HloModule jit_step
ENTRY e {
  p = f32[8] parameter(0)
  ROOT fusion.2 = f32[8] add(p, p)
})";
  const auto other = predict_step_time(kOther, "tpu_v5e");
  REQUIRE(other.ok());
  struct Case {
    const StepPrediction& prediction;
    const MeasuredProfile& profile;
    const char* message;
  };
  const Case cases[] = {
      {on_tpu.prediction, *cpu, "taken on the CPU, and the module was compiled for a TPU"},
      {on_cpu.prediction, *tpu, "taken on a TPU, and the module was compiled for the CPU"},
      {on_tpu.prediction, *gpu, "taken on a GPU, and the module was compiled for a TPU"},
      {*other, *gpu, "taken on a GPU, and tpu_v5e is not one"},
      {*other, *tpu, "the profile is of another program: only 6."},
  };
  for (const Case& c : cases) {
    const auto comparison = compare(c.prediction, c.profile);
    REQUIRE_FALSE(comparison.ok());
    CHECK_THAT(std::string(comparison.status().message()), ContainsSubstring(c.message));
  }
  CHECK(profiled_module(*gpu, ParseOptions()).status().code() == absl::StatusCode::kNotFound);
  const auto device = profiled_device(*gpu);
  CAPTURE(std::string(device.status().message()));
  CHECK((device.ok() ? *device : std::string(device.status().message())).find("a100") != std::string::npos);
}

}  // namespace
}  // namespace hloroof::internal
