// Prints the constants in data/hardware that are fitted to whole programs, as shipped and as the fit finds them, and
// what the model with the found ones makes of each program.
#include <cstdio>

#include "absl/strings/str_format.h"
#include "tests/accuracy/program_fits.h"

namespace hloroof::internal {
namespace {

absl::Status print(const char* part, const std::vector<MeasuredProgram>& programs, const Target& target) {
  for (const MeasuredProgram& program : programs) {
    const auto of_program = ratio(program, target);
    if (!of_program.ok()) return of_program.status();
    std::printf("    %-9s %+6.1f %%  of %9.4g s  %s\n", part, 100 * (*of_program - 1), program.seconds,
                program.what.c_str());
  }
  return absl::OkStatus();
}

absl::Status run() {
  const auto fits = program_fits();
  if (!fits.ok()) return fits.status();
  for (const ProgramFit& fit : *fits) {
    const absl::StatusOr<Target> shipped = find_target(fit.target);
    if (!shipped.ok()) return shipped.status();
    Target target = *shipped;
    auto found = fit_programs(fit, target);
    if (!found.ok()) return found.status();
    if (absl::Status status = add_spread(fit, *shipped, *found); !status.ok()) return status;
    for (const FittedParameter& p : *found) {
      std::printf("%-12s %-30s %10.4g -> %-10.4g %s", fit.target.c_str(), p.path.c_str(), p.before, p.after,
                  p.unit.c_str());
      if (p.least < p.most) std::printf("  %.4g .. %.4g without a fifth of the programs", p.least, p.most);
      std::printf("\n");
    }
    for (const auto& [part, programs] : {std::pair("fitted", &fit.fitted), std::pair("held back", &fit.held_back)}) {
      if (absl::Status status = print(part, *programs, target); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace hloroof::internal

int main() {
  const absl::Status status = hloroof::internal::run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
