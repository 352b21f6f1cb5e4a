#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "hloroof/analysis.h"
#include "lib/analysis/calls.h"
#include "lib/base/nearest.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline analysis {
namespace {

constexpr std::size_t kNamesShown = 3;

std::vector<std::string> names_of(const Module& module, Opcode opcode) {
  std::vector<std::string> names;
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() == opcode) names.emplace_back(instruction.name());
    }
  }
  return names;
}

// "cannot set the trip count of 'w1', which is not a while loop; the nearest of 12: w, w.1, w.2"
absl::Status unknown_name(std::string_view option, std::string_view name, std::string_view kind,
                          const std::vector<std::string>& names) {
  std::string message =
      "cannot set the " + std::string(option) + " of '" + std::string(name) + "', which is not a " + std::string(kind);
  if (names.empty()) return invalid_argument(message + "; the module has none");
  message += names.size() > kNamesShown ? "; the nearest of " + std::to_string(names.size()) + ":" : "; there are:";
  std::string_view separator = " ";
  for (const std::string& near : nearest_names(name, names, kNamesShown)) {
    message += std::string(separator) + near;
    separator = ", ";
  }
  return invalid_argument(message);
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  for (const std::string& n : names) {
    if (n == name) return true;
  }
  return false;
}

// A conditional runs one of its branches, so there must be one probability per branch, and their sum must be 1 except
// for rounding (0.33,0.33,0.33).
absl::Status check_probabilities(const Module& module, const std::string& name,
                                 const std::vector<double>& probabilities) {
  constexpr double kRounded = 0.02;
  double sum = 0;
  for (double p : probabilities) {
    if (!(p >= 0 && p <= 1)) {
      return invalid_argument(absl::StrFormat("branch probability of %s is not in 0 .. 1: %g", name, p));
    }
    sum += p;
  }
  for (ComputationView computation : module.computations()) {
    for (InstructionView instruction : computation.instructions()) {
      if (instruction.opcode() != Opcode::kConditional || instruction.name() != name) continue;
      const std::size_t branches = instruction.called_computations().size();
      if (probabilities.size() == branches) continue;
      return invalid_argument(
          absl::StrFormat("%s has %d branches, but %d probabilities", name, branches, probabilities.size()));
    }
  }
  if (std::abs(sum - 1) > kRounded) {
    return invalid_argument(
        absl::StrFormat("the branch probabilities of %s must add up to 1, but the sum is %g", name, sum));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status check_call_options(const Module& module, const CallOptions& options) {
  if (!options.trip_counts.empty()) {
    const std::vector<std::string> loops = names_of(module, Opcode::kWhile);
    for (const auto& [name, trips] : options.trip_counts) {
      if (!holds(loops, name)) return unknown_name("trip count", name, "while loop", loops);
      if (trips < 0)
        return invalid_argument(absl::StrFormat("the trip count of %s must not be negative: %d", name, trips));
    }
  }
  if (!options.branch_probabilities.empty()) {
    const std::vector<std::string> conditionals = names_of(module, Opcode::kConditional);
    for (const auto& [name, probabilities] : options.branch_probabilities) {
      if (!holds(conditionals, name)) return unknown_name("branch probabilities", name, "conditional", conditionals);
      if (absl::Status status = check_probabilities(module, name, probabilities); !status.ok()) return status;
    }
  }
  if (options.default_trip_count < 0) return invalid_argument("the default trip count must not be negative");
  return absl::OkStatus();
}

}  // namespace hloroof::internal::inline analysis
