// The shipped constants that come from whole programs are what the fit finds.
#include "tests/accuracy/program_fits.h"

#include <set>

#include "tests/catch.h"

namespace hloroof {
namespace {

TEST_CASE("Shipped constants are the fit to the programs that are marked") {
  const auto fits = program_fits();
  REQUIRE(fits.ok());
  std::set<std::string> devices;
  for (const ProgramFit& fit : *fits) {
    REQUIRE_FALSE(fit.fitted.empty());
    absl::StatusOr<Device> device = find_device(fit.device);
    REQUIRE(device.ok());
    const auto found = fit_programs(fit, *device);
    REQUIRE(found.ok());
    for (const FittedParameter& p : *found) {
      INFO(fit.device << " " << p.path);
      CHECK(p.before == Approx(p.after).epsilon(0.01));
    }
    devices.insert(fit.device);
  }
  CHECK(devices == std::set<std::string>{"a100_sxm_40", "tpu_v2", "tpu_v4", "tpu_v5e:4x4", "tpu_v5p"});
}

TEST_CASE("A fit to programs finds the constants back that times were made from") {
  auto fits = program_fits();
  REQUIRE(fits.ok());
  for (ProgramFit& fit : *fits) {
    absl::StatusOr<Device> truth = find_device(fit.device);
    REQUIRE(truth.ok());
    for (MeasuredProgram& program : fit.fitted) program.seconds *= ratio(program, *truth).value();
    Device device = *truth;
    for (const Parameter& p : parameters(*truth)) {
      if (std::find(fit.paths.begin(), fit.paths.end(), p.path) == fit.paths.end()) continue;
      REQUIRE(set_parameter(device, p.path, *p.value * 0.7).ok());
    }
    const auto found = fit_programs(fit, device);
    REQUIRE(found.ok());
    for (const FittedParameter& p : *found) {
      INFO(fit.device << " " << p.path);
      CHECK(p.after * 0.7 == Approx(p.before).epsilon(0.01));
    }
  }
}

}  // namespace
}  // namespace hloroof
