// What a step costs: in dollars, and at most in energy. Both are of all chips that the step occupies.
#ifndef HLOROOF_LIB_STEP_STEP_COST_H_
#define HLOROOF_LIB_STEP_STEP_COST_H_

#include <cmath>
#include <optional>

#include "hloroof/predict.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline step {

// The chips of the topology, in all slices. They are occupied whether or not the program uses them.
inline double occupied_chips(const StepFacts& facts) {
  const auto devices = static_cast<double>(facts.collectives.mapping.topology.device_count());
  return std::ceil(devices / static_cast<double>(facts.target.device.devices_per_chip));
}

// Dollars, at the price that the caller gave.
inline std::optional<double> step_dollars(const StepPrediction& p) {
  constexpr double kSecondsPerHour = 3600;
  if (p.facts == nullptr || !p.facts->options.price) return std::nullopt;
  return *p.facts->options.price * occupied_chips(*p.facts) * p.step_seconds / kSecondsPerHour;
}

// Tokens a second, of the tokens that the caller gave.
inline std::optional<double> tokens_per_second(const StepPrediction& p) {
  if (p.facts == nullptr || !p.facts->options.tokens || p.step_seconds <= 0) return std::nullopt;
  return *p.facts->options.tokens / p.step_seconds;
}

// Dollars for a million tokens.
inline std::optional<double> dollars_per_million_tokens(const StepPrediction& p) {
  constexpr double kMillion = 1e6;
  const std::optional<double> dollars = step_dollars(p);
  if (!dollars || !p.facts->options.tokens || *p.facts->options.tokens <= 0) return std::nullopt;
  return kMillion * *dollars / *p.facts->options.tokens;
}

// Joules, an upper bound: all chips draw their power throughout, which is that of their design or the most measured.
inline std::optional<double> most_joules(const StepPrediction& p) {
  if (p.facts == nullptr || !p.facts->target.device.power) return std::nullopt;
  return *p.facts->target.device.power * occupied_chips(*p.facts) * p.step_seconds;
}

// Joules for a token, an upper bound as well.
inline std::optional<double> most_joules_per_token(const StepPrediction& p) {
  const std::optional<double> joules = most_joules(p);
  if (!joules || !p.facts->options.tokens || *p.facts->options.tokens <= 0) return std::nullopt;
  return *joules / *p.facts->options.tokens;
}

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_STEP_COST_H_
