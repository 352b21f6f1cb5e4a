#include "tests/accuracy/program_fits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hloroof/parse.h"
#include "hloroof/predict.h"
#include "lib/calibrate/folds.h"
#include "tests/accuracy/measured_kernels.h"
#include "tests/accuracy/observed_cases.h"
#include "tests/accuracy/published_steps.h"

namespace hloroof::internal {
namespace {

constexpr double kFirstSpan = 8;      // the search starts with an eighth to eight times the value
constexpr double kLastSpan = 1.0005;  // and ends where neighbours differ by less
constexpr double kNarrower = 0.7;     // power of the span from one scan to the next
constexpr int kPoints = 17;           // of a scan

// The fit of these parameters of the target, made if there is none yet.
ProgramFit& fit_of(std::vector<ProgramFit>& fits, const std::string& target, std::vector<std::string> paths) {
  const auto at = std::find_if(fits.begin(), fits.end(),
                               [&](const ProgramFit& fit) { return fit.target == target && fit.paths == paths; });
  if (at != fits.end()) return *at;
  fits.push_back({target, std::move(paths), {}, {}});
  return fits.back();
}

absl::StatusOr<double> loss(const std::vector<MeasuredProgram>& programs, const Target& target) {
  double sum = 0;
  for (const MeasuredProgram& program : programs) {
    const auto of_program = ratio(program, target);
    if (!of_program.ok()) return of_program.status();
    sum += std::pow(std::abs(std::log(*of_program)), 1.5);
  }
  return sum;
}

// The best of values spread evenly in their logarithm between value / span and value * span; shares stay within 1.
absl::StatusOr<double> scan(const ProgramFit& fit, Target target, const Parameter& parameter, double span) {
  double best = *parameter.value;
  double least = HUGE_VAL;
  for (int i = 0; i < kPoints; ++i) {
    double value = *parameter.value * std::pow(span, 2.0 * i / (kPoints - 1) - 1);
    if (parameter.unit == "1") value = std::min(value, 1.0);
    if (absl::Status status = set_parameter(target.device, parameter.path, value); !status.ok()) return status;
    const auto at = loss(fit.fitted, target);
    if (!at.ok()) return at.status();
    if (*at >= least) continue;
    least = *at;
    best = value;
  }
  return best;
}

}  // namespace

absl::StatusOr<std::vector<ProgramFit>> program_fits() {
  std::vector<ProgramFit> fits;
  for (const ObservedCase& c : observed_cases()) {
    if (c.parameter[0] == 0) continue;
    auto module = parse_module(c.hlo);
    if (!module.ok()) return module.status();
    fit_of(fits, c.device, {c.parameter}).fitted.push_back({c.what, *std::move(module), c.fitted_seconds});
  }
  for (const PublishedStep& step : published_steps()) {
    if (step.device != "tpu_v4") continue;
    auto module = load_module(step.path);
    if (!module.ok()) return module.status();
    ProgramFit& fit = fit_of(fits, step.device, {"matrix.sustained.bf16"});
    (step.standing == Standing::kFitted ? fit.fitted : fit.held_back)
        .push_back({step_name(step), *std::move(module), step.seconds});
  }
  for (const MeasuredKernel& kernel : read_measured_kernels()) {
    if (kernel.device != "a100_sxm_40") continue;
    auto module = load_module(kernel.path);
    if (!module.ok()) return module.status();
    ProgramFit& fit = fit_of(fits, kernel.device, {"hbm.efficiency", "overhead.wave"});
    (kernel.standing == Standing::kFitted ? fit.fitted : fit.held_back)
        .push_back({kernel.kernel + " " + kernel.shapes, *std::move(module), kernel.measured});
  }
  return fits;
}

absl::StatusOr<std::vector<FittedParameter>> fit_programs(const ProgramFit& fit, Target& target) {
  std::vector<FittedParameter> found;
  for (const std::string& path : fit.paths) {
    const auto parameter = parameter_of(target.device, path);
    if (!parameter || !parameter->value) return absl::NotFoundError(path + " of " + fit.target);
    found.push_back({path, parameter->unit, *parameter->value, *parameter->value});
  }
  for (double span = kFirstSpan; span > kLastSpan; span = std::pow(span, kNarrower)) {
    for (FittedParameter& p : found) {
      const auto best = scan(fit, target, parameter_of(target.device, p.path).value(), span);
      if (!best.ok()) return best.status();
      p.after = *best;
      if (absl::Status status = set_parameter(target.device, p.path, p.after); !status.ok()) return status;
    }
  }
  return found;
}

absl::Status add_spread(const ProgramFit& fit, const Target& before, std::vector<FittedParameter>& found) {
  for (FittedParameter& p : found) p.least = p.most = p.after;
  for (std::size_t out = 0; out < kFolds && fit.fitted.size() >= kFolds; ++out) {
    const ProgramFit part{fit.target, fit.paths, without_fold(fit.fitted, out), {}};
    Target target = before;
    const auto fold = fit_programs(part, target);
    if (!fold.ok()) return fold.status();
    for (std::size_t p = 0; p < found.size(); ++p) {
      found[p].least = std::min(found[p].least, (*fold)[p].after);
      found[p].most = std::max(found[p].most, (*fold)[p].after);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<double> ratio(const MeasuredProgram& program, const Target& target) {
  const auto prediction = predict_step_time(program.module, target);
  if (!prediction.ok()) return prediction.status();
  return prediction->step_seconds / program.seconds;
}

}  // namespace hloroof::internal
