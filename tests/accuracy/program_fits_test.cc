// The shipped constants that come from whole programs are what the fit finds.
#include "tests/accuracy/program_fits.h"

#include <set>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("Shipped constants are the fit to the programs that are marked") {
  const auto fits = program_fits();
  REQUIRE(fits.ok());
  std::set<std::string> targets;
  for (const ProgramFit& fit : *fits) {
    REQUIRE_FALSE(fit.fitted.empty());
    absl::StatusOr<Target> target = find_target(fit.target);
    REQUIRE(target.ok());
    const auto found = fit_programs(fit, *target);
    REQUIRE(found.ok());
    for (const FittedParameter& p : *found) {
      INFO(fit.target << " " << p.path);
      CHECK(p.before == Approx(p.after).epsilon(0.01));
    }
    targets.insert(fit.target);
  }
  CHECK(targets == std::set<std::string>{"a100_sxm_40", "tpu_v2", "tpu_v4", "tpu_v5e:4x4", "tpu_v5p"});
}

TEST_CASE("A fit to programs finds the constants back that times were made from") {
  auto fits = program_fits();
  REQUIRE(fits.ok());
  for (ProgramFit& fit : *fits) {
    absl::StatusOr<Target> truth = find_target(fit.target);
    REQUIRE(truth.ok());
    for (MeasuredProgram& program : fit.fitted) program.seconds *= ratio(program, *truth).value();
    Target target = *truth;
    for (const Parameter& p : parameters(truth->device)) {
      if (std::find(fit.paths.begin(), fit.paths.end(), p.path) == fit.paths.end()) continue;
      REQUIRE(set_parameter(target.device, p.path, *p.value * 0.7).ok());
    }
    const auto found = fit_programs(fit, target);
    REQUIRE(found.ok());
    for (const FittedParameter& p : *found) {
      INFO(fit.target << " " << p.path);
      CHECK(p.after * 0.7 == Approx(p.before).epsilon(0.01));
    }
  }
}

}  // namespace
}  // namespace hloroof::internal
