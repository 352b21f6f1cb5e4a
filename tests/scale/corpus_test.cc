// Open programs of one model at several sizes: the scaled program of one size beside the compiled one of another.
#include <cmath>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "hloroof/device.h"
#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/scale/scale.h"
#include "tests/catch.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

constexpr double kStepTolerance = 0.05;

struct ScaledStep {
  StepSummary compiled;
  StepSummary scaled;
};

// Checks that the step of the scaled program is that of the compiled one of the other size.
ScaledStep check_against_compiled(const Module& given, const ScaleRequest& request, const Module& compiled,
                                  const Target& target) {
  const absl::StatusOr<ScaledProgram> scaled = scale_program(given, request, &target.device);
  INFO(scaled.status().message());
  REQUIRE(scaled.ok());
  const absl::StatusOr<StepSummary> expected = predict_summary(compiled, target);
  const absl::StatusOr<StepSummary> result = predict_summary(scaled->module, target);
  REQUIRE(expected.ok());
  REQUIRE(result.ok());
  CAPTURE(expected->step_seconds, result->step_seconds);
  CHECK(std::abs(result->step_seconds / expected->step_seconds - 1) < kStepTolerance);
  return {*expected, *result};
}

TEST_CASE("steps of ours, scaled, are those of the other size") {
  const absl::StatusOr<Target> target = find_target("tpu_v5e");
  REQUIRE(target.ok());
  const struct {
    const char* given;
    const char* compiled;
    std::int64_t devices;
  } cases[] = {
      {"mlp_step.v5e_8", "mlp_step.v5e_16", 16},
      {"ring_step.v5e_4", "ring_step.v5e_8", 8},
      {"ring_step.v5e_8", "ring_step.v5e_4", 4},
  };
  for (const auto& c : cases) {
    CAPTURE(c.given, c.devices);
    const absl::StatusOr<Module> given = load_module(absl::StrCat("tests/scale/", c.given, ".hlo"));
    const absl::StatusOr<Module> compiled = load_module(absl::StrCat("tests/scale/", c.compiled, ".hlo"));
    REQUIRE(given.ok());
    REQUIRE(compiled.ok());
    check_against_compiled(*given, {{{"0", c.devices}}, std::nullopt, std::nullopt}, *compiled, *target);
  }
}

TEST_CASE("a step for 8 chips, scaled, is that for 32 and for 256") {
  const std::string folder = shared_path("corpus/step");
  if (!std::filesystem::exists(folder)) return;
  const struct {
    const char* compiled;
    ScaleRequest request;
  } cases[] = {
      {"llama3.1-8b.v6e-32.hlo", {{{"data", 32}}, std::nullopt, std::nullopt}},
      {"llama3.1-8b.v6e-256.hlo", {{{"data", 256}}, Ratio{4, 3}, std::nullopt}},
  };
  const absl::StatusOr<Target> target = find_target("tpu_v6e");
  REQUIRE(target.ok());
  const absl::StatusOr<Module> given = load_module(folder + "/llama3.1-8b.v6e-8.hlo");
  REQUIRE(given.ok());
  for (const auto& c : cases) {
    CAPTURE(c.compiled);
    const absl::StatusOr<Module> compiled = load_module(folder + "/" + c.compiled);
    REQUIRE(compiled.ok());
    const ScaledStep step = check_against_compiled(*given, c.request, *compiled, *target);
    CHECK(std::abs(step.scaled.flops / step.compiled.flops - 1) < kStepTolerance);
  }
}

}  // namespace
}  // namespace hloroof::internal
