#include "lib/versions/gate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"

namespace hloroof::internal::inline versions {
namespace {

double metric(std::string_view name, const StepPrediction& p) {
  if (name == "step") return p.step_seconds;
  if (name == "exposed") return p.exposed_communication_seconds;
  if (name == "memory") return p.memory.hbm_peak_bytes;
  if (name == "flops") return p.flops;
  if (name == "hbm") return p.hbm_bytes;
  return p.wire_bytes;
}

std::string format_metric(std::string_view metric, double value) {
  if (metric == "step" || metric == "exposed") return format_seconds(value);
  return metric == "flops" ? format_flops(value) : format_bytes(value);
}

std::string plus(double value) { return value > 0 ? "+" : ""; }

// Formats a share as a signed percentage with at most `digits` decimals.
std::string signed_percent(double share, int digits) {
  if (std::isinf(share)) return share > 0 ? "+inf %" : "-inf %";
  std::string text = absl::StrFormat("%+.*f", digits, 100 * share);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text + " %";
}

// Formats `value` with as many decimals as it takes to tell it from `limit`.
std::string percent_unlike(double value, double limit) {
  constexpr int kMostDigits = 6;
  int digits = 1;
  while (digits < kMostDigits && value != limit && signed_percent(value, digits) == signed_percent(limit, digits)) {
    ++digits;
  }
  return signed_percent(value, digits);
}

// " (1.2 ms above)": how far the metric is from the limit, in its own unit. Empty for an infinite change.
std::string distance_text(const Gate& gate, const GateResult& result) {
  const double scale = gate.kind == Gate::Kind::kRelativeChange ? result.before : 1;
  const double off = (result.found - gate.limit) * scale;
  if (!std::isfinite(off)) return "";
  if (off == 0) return " (at the limit)";
  return " (" + format_metric(gate.metric, std::abs(off)) + (off < 0 ? " below)" : " above)");
}

std::string finding_text(const Gate& gate, const GateResult& result) {
  const auto format = [&gate](double value) { return format_metric(gate.metric, value); };
  const std::string allowed = std::string(", allowed ") + (gate.or_equal ? (gate.above ? "< " : "> ") : "");
  const std::string before_after = gate.metric + " " + format(result.before) + " -> " + format(result.after) + ": ";
  const std::string distance = distance_text(gate, result);
  switch (gate.kind) {
    case Gate::Kind::kRelativeChange:
      return before_after + percent_unlike(result.found, gate.limit) + allowed + signed_percent(gate.limit, 6) +
             distance;
    case Gate::Kind::kChange:
      return before_after + plus(result.found) + format(result.found) + allowed + plus(gate.limit) +
             format(gate.limit) + distance;
    case Gate::Kind::kValue: return gate.metric + " " + format(result.after) + allowed + format(gate.limit) + distance;
  }
  return "";
}

}  // namespace

absl::StatusOr<Gate> parse_gate(std::string_view text) {
  const absl::Status malformed = invalid_argument(
      "'" + std::string(text) +
      "' is no gate: expected a metric (step, exposed, memory, flops, hbm, wire), > or <, and a "
      "number: 'step>+2%' is a relative change, 'step>+1ms' an absolute one, 'memory>15GiB' the new value");
  Gate gate;
  gate.text = std::string(text);
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos) return malformed;
  gate.metric = std::string(text.substr(0, at));
  while (!gate.metric.empty() && gate.metric.back() == ' ') gate.metric.pop_back();
  static constexpr std::string_view kMetrics[] = {"step", "exposed", "memory", "flops", "hbm", "wire"};
  if (std::find(std::begin(kMetrics), std::end(kMetrics), gate.metric) == std::end(kMetrics)) return malformed;
  gate.above = text[at] == '>';
  std::string_view rest = text.substr(at + 1);
  if (!rest.empty() && rest[0] == '=') {
    gate.or_equal = true;
    rest.remove_prefix(1);
  }
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  const bool is_signed = !rest.empty() && (rest[0] == '+' || rest[0] == '-');
  if (!rest.empty() && rest[0] == '+') rest.remove_prefix(1);
  const auto [end, error] = read_decimal(rest.data(), rest.data() + rest.size(), gate.limit);
  if (error != std::errc() || !std::isfinite(gate.limit)) return malformed;
  std::string_view unit = rest.substr(static_cast<std::size_t>(end - rest.data()));
  while (!unit.empty() && unit[0] == ' ') unit.remove_prefix(1);
  gate.kind = is_signed ? Gate::Kind::kChange : Gate::Kind::kValue;
  struct GateUnit {
    std::string_view name;
    double factor;
  };
  static constexpr GateUnit kUnits[] = {
      {"", 1},         {"s", 1},           {"ms", 1e-3},          {"us", 1e-6}, {"ns", 1e-9}, {"B", 1},
      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"kB", 1e3},  {"MB", 1e6},  {"GB", 1e9}};
  if (unit == "%") {
    gate.kind = Gate::Kind::kRelativeChange;
    gate.limit /= 100;
    return gate;
  }
  for (const GateUnit& known : kUnits) {
    if (known.name == unit) {
      gate.limit *= known.factor;
      return gate;
    }
  }
  return malformed;
}

GateResult check_gate(const Gate& gate, const StepPrediction& before, const StepPrediction& after) {
  GateResult result;
  result.condition = gate.text;
  result.before = metric(gate.metric, before);
  result.after = metric(gate.metric, after);
  result.limit = gate.limit;
  const double change = result.after - result.before;
  result.found = result.after;
  if (gate.kind == Gate::Kind::kChange) result.found = change;
  if (gate.kind == Gate::Kind::kRelativeChange) {
    // A change from 0 to a positive value is infinite.
    result.found = result.before != 0 ? change / result.before
                   : result.after > 0 ? std::numeric_limits<double>::infinity()
                                      : 0;
  }
  if (result.found == gate.limit) {
    result.failed = gate.or_equal;
  } else {
    result.failed = gate.above ? result.found > gate.limit : result.found < gate.limit;
  }
  result.finding = finding_text(gate, result);
  return result;
}

}  // namespace hloroof::internal::inline versions
