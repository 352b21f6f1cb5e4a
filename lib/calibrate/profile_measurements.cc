#include "lib/calibrate/profile_measurements.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hloroof/analysis.h"
#include "lib/base/strings.h"
#include "lib/calibrate/folds.h"
#include "lib/calibrate/parameter_fit.h"
#include "lib/schedule/async_pairs.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline calibrate {
namespace {

constexpr std::size_t kFewest = 4;           // two to fit and two to hold back
constexpr std::size_t kOpsOfNumber = 3;      // for each number that is fitted
constexpr std::size_t kMostForChoice = 300;  // ops by which numbers are chosen
constexpr double kLeastGain = 0.97;          // of the error, for a further number
constexpr double kMostError = 3;             // of one op, so that no op decides alone

bool calls_scheduled_ops(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall;
}

// The distance of a prediction from its measurement in powers of e, at most kMostError.
double log_error(const Measurement& measurement, const Device& device) {
  const double predicted = predicted_seconds(measurement, device);
  if (!(predicted > 0)) return kMostError;
  return std::min(kMostError, std::abs(std::log(predicted / measurement.seconds)));
}

// The error of fits that each leave out a fifth of the measurements, on that fifth. With fewer measurements than
// that, the error on all of them, of a fit to all.
absl::StatusOr<double> unseen_error(const Device& device, const std::vector<Measurement>& measurements,
                                    const std::vector<std::string>& paths) {
  const bool has_folds = measurements.size() >= kFolds;
  double sum = 0;
  for (std::size_t out = 0; out < (has_folds ? kFolds : 1); ++out) {
    Device fitted = device;
    const auto fit = fit_parameters(fitted, has_folds ? without_fold(measurements, out) : measurements, paths, {});
    if (!fit.ok()) return fit.status();
    for (std::size_t i = 0; i < measurements.size(); ++i) {
      if (!has_folds || i % kFolds == out) sum += log_error(measurements[i], fitted);
    }
  }
  return sum;
}

std::vector<Measurement> evenly_chosen(const std::vector<Measurement>& measurements) {
  const std::size_t step = (measurements.size() + kMostForChoice - 1) / kMostForChoice;
  std::vector<Measurement> chosen;
  chosen.reserve(kMostForChoice);
  for (std::size_t i = 0; i < measurements.size(); i += std::max<std::size_t>(1, step)) {
    chosen.push_back(measurements[i]);
  }
  return chosen;
}

std::vector<std::string> candidate_parameters(const Device& device) {
  // Shares of at most 1 cannot raise the rates of devices whose rates are guesses, and all of a generic CPU is one.
  const bool is_cpu = device.family() == DeviceFamily::kCpu;
  const bool is_guessed = is_cpu || device.family() == DeviceFamily::kOther;
  std::vector<std::string> paths = {is_cpu ? "matrix.peak.f32" : "matrix.efficiency",
                                    is_guessed ? "hbm.bandwidth" : "hbm.efficiency",
                                    "hbm.read_efficiency",
                                    "hbm.write_efficiency",
                                    "vector.efficiency",
                                    "overhead.op"};
  if (device.family() == DeviceFamily::kTpu) paths.emplace_back("overhead.pipeline_fill");
  if (is_guessed) paths.insert(paths.end(), {"vector.f32_rate", "vector.transcendental_rate"});
  if (is_cpu) paths.insert(paths.end(), {"matrix.peak.bf16", "matrix.peak.f64"});
  std::erase_if(paths, [&](const std::string& path) {
    const auto parameter = parameter_of(device, path);
    return !parameter || !parameter->value;
  });
  return paths;
}

}  // namespace

absl::StatusOr<std::vector<Measurement>> profile_measurements(const Module& module, const MeasuredProgram& program) {
  std::unordered_map<std::string_view, const MeasuredOp*> measured;
  for (const MeasuredOp& op : program.ops) measured.emplace(op.name, &op);
  const CallGraph calls = analyze_calls(module);
  const PagedTable<Shared<Work>> work = compute_work(module, calls);
  std::vector<bool> communicates(module.instruction_count());
  for (const Collective& collective : find_collectives(module)) communicates[collective.carrier.index] = true;
  std::vector<Measurement> result;
  result.reserve(program.ops.size());
  for (InstructionId id : calls.scheduled_instructions()) {
    const InstructionView op = module.instruction(id);
    if (async_role(op) != AsyncRole::kNone || work[id.index]->is_free || communicates[id.index]) continue;
    if (calls_scheduled_ops(op.opcode())) continue;
    const auto found = measured.find(op.name());
    if (found == measured.end() || found->second->median_seconds <= 0) continue;
    result.push_back({std::string(op.name()), {work[id.index]}, found->second->median_seconds});
  }
  if (result.size() >= kFewest) return result;
  return invalid_argument(absl::StrCat("the profile has the times of ", result.size(), " ops of ", program.name,
                                       " that compute, and a fit needs ", kFewest));
}

absl::StatusOr<std::vector<std::string>> program_parameters(const Device& device,
                                                            const std::vector<Measurement>& measurements) {
  const std::vector<Measurement> sample = evenly_chosen(measurements);
  std::vector<std::string> candidates = candidate_parameters(device);
  if (candidates.empty()) return invalid_argument(device.name + " has no number that a profile could determine");
  std::vector<std::string> chosen;
  double error = 0;
  for (const Measurement& measurement : sample) error += log_error(measurement, device);
  while (!candidates.empty() && (chosen.empty() || kOpsOfNumber * (chosen.size() + 1) <= sample.size())) {
    std::size_t best = candidates.size();
    double least = chosen.empty() ? INFINITY : error * kLeastGain;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      std::vector<std::string> with = chosen;
      with.push_back(candidates[c]);
      const absl::StatusOr<double> now = unseen_error(device, sample, with);
      if (!now.ok()) return now.status();
      if (*now >= least) continue;
      least = *now;
      best = c;
    }
    if (best == candidates.size()) break;
    error = least;
    chosen.push_back(std::move(candidates[best]));
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(best));
  }
  if (chosen.empty()) chosen.push_back(candidates.front());
  return chosen;
}

}  // namespace hloroof::internal::inline calibrate
