// Programs made up for a device, in which every number of it matters to something: an operation of each type, memory
// and kind of link.
#ifndef HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_
#define HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloroof/device.h"
#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::internal {

struct Case {
  Module module;
  PredictOptions options;
};

// The value that a better device has of a number: more of a rate or an efficiency, less of a latency or cycles. None if
// neither is better, as of sizes and counts, which say how the machine divides its work.
inline std::optional<double> better_value(const Parameter& parameter, double factor) {
  if (!parameter.value || !parameter.is_read) return std::nullopt;
  const std::string& unit = parameter.unit;
  constexpr std::string_view kEfficiency = "efficiency";
  const std::string_view path = parameter.path;
  const bool is_efficiency =
      path.size() > kEfficiency.size() && path.substr(path.size() - kEfficiency.size()) == kEfficiency;
  if (unit == "B/s" || unit == "flop/s" || unit == "op/s" || unit == "Hz") return *parameter.value * factor;
  if (is_efficiency) return std::min(*parameter.value * factor, std::max(*parameter.value, 1.0));
  // A GPU is better that reaches its power cap later.
  if (path.substr(0, 17) == "matrix.sustained.") return *parameter.value * factor;
  if (unit == "s" || unit == "cycle") return *parameter.value / factor;
  return std::nullopt;
}

// Products, data movement, kernels, collectives and messages within and across the domains of the device.
std::vector<Case> cases_for(const Device& device);

// An operation of each opcode that the vector unit has a weight for.
Case elementwise_case(const Device& device);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_PREDICT_DEVICE_PROGRAMS_H_
