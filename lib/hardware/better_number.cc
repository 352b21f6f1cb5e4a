#include "lib/hardware/better_number.h"

#include <algorithm>
#include <string_view>

#include "lib/hardware/device_fields.h"

namespace hloroof::internal::inline hardware {
namespace {

enum class Better { kMore, kLess, kNeither };

// Whether the last word of the path is an efficiency: "matrix.efficiency_f32", "network.tree_efficiency".
bool is_efficiency(std::string_view path) {
  return path.substr(path.rfind('.') + 1).find("efficiency") != std::string_view::npos;
}

Better better_way(std::string_view path, std::string_view unit) {
  // A device is better that reaches its power cap later, and whose rates there are higher.
  if (path.starts_with("matrix.sustained.")) return Better::kMore;
  if (unit == "B/s" || unit == "flop/s" || unit == "op/s" || unit == "1/s" || unit == "Hz") return Better::kMore;
  if (unit == "s" || unit == "cycle" || unit == "s/B^0.5") return Better::kLess;
  if (is_efficiency(path) || path == "kernel.transcendental_rate") return Better::kMore;
  // Shares of work and of waits that a better device does not have, and the operations that one result takes.
  if (path == "kernel.load_share" || path == "kernel.exposed_wait" || path == "ici.mean_distance" ||
      path.starts_with(kWeightsPath)) {
    return Better::kLess;
  }
  return Better::kNeither;
}

}  // namespace

std::optional<double> better_number(const Parameter& parameter, double factor) {
  if (!parameter.value || !parameter.is_read) return std::nullopt;
  const double value = *parameter.value;
  switch (better_way(parameter.path, parameter.unit)) {
    case Better::kMore:
      return is_efficiency(parameter.path) ? std::min(value * factor, std::max(value, 1.0)) : value * factor;
    case Better::kLess: return value / factor;
    case Better::kNeither: break;
  }
  return std::nullopt;
}

}  // namespace hloroof::internal::inline hardware
