#include "lib/versions/gate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"

namespace hloroof::internal::inline versions {
namespace {

enum class Quantity : std::uint8_t { kSeconds, kBytes, kFlops, kShare };

struct Metric {
  std::string_view name;
  Quantity quantity;
  double (*value)(const StepPrediction& p);
};

constexpr Metric kMetrics[] = {
    {"step", Quantity::kSeconds, [](const StepPrediction& p) { return p.step_seconds; }},
    {"exposed", Quantity::kSeconds, [](const StepPrediction& p) { return p.exposed_communication_seconds; }},
    {"memory", Quantity::kBytes, [](const StepPrediction& p) { return p.memory.hbm_peak_bytes; }},
    {"flops", Quantity::kFlops, [](const StepPrediction& p) { return p.flops; }},
    {"hbm", Quantity::kBytes, [](const StepPrediction& p) { return p.hbm_bytes; }},
    {"wire", Quantity::kBytes, [](const StepPrediction& p) { return p.wire_bytes; }},
    {"mfu", Quantity::kShare, [](const StepPrediction& p) { return p.mfu.value_or(0); }},
};

struct GateUnit {
  std::string_view name;
  Quantity quantity;
  double factor;
};

// A percentage is of any quantity.
constexpr GateUnit kUnits[] = {
    {"s", Quantity::kSeconds, 1},      {"ms", Quantity::kSeconds, 1e-3},  {"us", Quantity::kSeconds, 1e-6},
    {"ns", Quantity::kSeconds, 1e-9},  {"B", Quantity::kBytes, 1},        {"KiB", Quantity::kBytes, 0x1p10},
    {"MiB", Quantity::kBytes, 0x1p20}, {"GiB", Quantity::kBytes, 0x1p30}, {"TiB", Quantity::kBytes, 0x1p40},
    {"kB", Quantity::kBytes, 1e3},     {"MB", Quantity::kBytes, 1e6},     {"GB", Quantity::kBytes, 1e9},
    {"TB", Quantity::kBytes, 1e12},    {"", Quantity::kFlops, 1},         {"Gflop", Quantity::kFlops, 1e9},
    {"Tflop", Quantity::kFlops, 1e12}, {"Pflop", Quantity::kFlops, 1e15}};

const Metric* find_metric(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kMetrics), std::end(kMetrics), [&](const Metric& m) { return m.name == name; });
  return found == std::end(kMetrics) ? nullptr : found;
}

// parse_gate() accepts no other name.
const Metric& metric_of(const Gate& gate) { return *find_metric(gate.metric); }

std::string format_metric(const Metric& metric, double value) {
  switch (metric.quantity) {
    case Quantity::kSeconds: return format_seconds(value);
    case Quantity::kBytes: return format_bytes(value);
    case Quantity::kFlops: return format_flops(value);
    case Quantity::kShare: return format_percent(value);
  }
  return "";
}

std::string_view noun(Quantity quantity) {
  switch (quantity) {
    case Quantity::kSeconds: return "a unit of time";
    case Quantity::kBytes: return "a unit of bytes";
    case Quantity::kFlops: return "no unit or one of operations";
    case Quantity::kShare: return "the unit";
  }
  return "";
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
  return " (" + format_metric(metric_of(gate), std::abs(off)) + (off < 0 ? " below)" : " above)");
}

std::string finding_text(const Gate& gate, const GateResult& result) {
  const auto format = [&gate](double value) { return format_metric(metric_of(gate), value); };
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

// What `read_gate` expects where it stops.
struct Stop {
  std::size_t at = 0;
  std::string expected;
};

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
}

// "'memory>5ms', character 9: expected a unit of bytes (B, KiB, ...) or %, found 'ms'".
absl::Status malformed(std::string_view text, const Stop& stop) {
  const std::string_view rest = text.substr(stop.at);
  return invalid_argument("'" + std::string(text) + "', character " + std::to_string(stop.at + 1) + ": expected " +
                          stop.expected + ", found " + (rest.empty() ? "the end" : "'" + std::string(rest) + "'") +
                          "; 'step>+2%' is a relative change, 'step>+1ms' an absolute one, and 'memory>15GiB' or "
                          "'mfu<40%' the new value");
}

std::string names_of_metrics() {
  return "one of " + absl::StrJoin(kMetrics, ", ", [](std::string* out, const Metric& m) { *out += m.name; });
}

std::string units_of(Quantity quantity) {
  if (quantity == Quantity::kShare) return "%";
  std::vector<std::string> names;
  for (const GateUnit& unit : kUnits) {
    if (unit.quantity == quantity && !unit.name.empty()) names.emplace_back(unit.name);
  }
  return std::string(noun(quantity)) + " (" + absl::StrJoin(names, ", ") + ") or %";
}

// METRIC ('<' | '>') '='? ('+' | '-')? NUMBER UNIT, with blanks between them. Returns where it stops if that is not the
// end.
std::optional<Stop> read_gate(std::string_view text, Gate& gate) {
  std::size_t at = 0;
  skip_blanks(text, at);
  const std::size_t metric_at = at;
  at = std::min(text.find_first_of("<> ", at), text.size());
  gate.metric = std::string(text.substr(metric_at, at - metric_at));
  const Metric* metric = find_metric(gate.metric);
  if (metric == nullptr) return Stop{metric_at, names_of_metrics()};
  skip_blanks(text, at);
  if (at == text.size() || (text[at] != '<' && text[at] != '>')) return Stop{at, "> or <"};
  gate.above = text[at++] == '>';
  gate.or_equal = at < text.size() && text[at] == '=';
  if (gate.or_equal) ++at;
  skip_blanks(text, at);
  const bool is_signed = at < text.size() && (text[at] == '+' || text[at] == '-');
  const std::size_t number_at = is_signed && text[at] == '+' ? at + 1 : at;
  const auto [end, error] = read_decimal(text.data() + number_at, text.data() + text.size(), gate.limit);
  if (error != std::errc() || !std::isfinite(gate.limit)) return Stop{at, "a number"};
  at = static_cast<std::size_t>(end - text.data());
  skip_blanks(text, at);
  std::string_view unit = text.substr(at);
  while (!unit.empty() && unit.back() == ' ') unit.remove_suffix(1);
  gate.kind = is_signed ? Gate::Kind::kChange : Gate::Kind::kValue;
  if (unit == "%") {
    gate.limit /= 100;
    if (metric->quantity != Quantity::kShare || is_signed) gate.kind = Gate::Kind::kRelativeChange;
    return std::nullopt;
  }
  for (const GateUnit& known : kUnits) {
    if (known.name != unit || known.quantity != metric->quantity) continue;
    gate.limit *= known.factor;
    return std::nullopt;
  }
  return Stop{at, units_of(metric->quantity)};
}

}  // namespace

absl::StatusOr<Gate> parse_gate(std::string_view text) {
  Gate gate;
  gate.text = std::string(text);
  if (const std::optional<Stop> stop = read_gate(text, gate)) return malformed(text, *stop);
  return gate;
}

absl::StatusOr<Gate> parse_limit(std::string_view text) {
  absl::StatusOr<Gate> gate = parse_gate(text);
  if (gate.ok() && gate->kind != Gate::Kind::kValue) {
    return invalid_argument("'" + std::string(text) +
                            "' is a change, and there is no other prediction to change from: expected a value, such as "
                            "'step>5ms', 'memory>15GiB' or 'mfu<40%'");
  }
  return gate;
}

GateResult check_gate(const Gate& gate, const StepPrediction& before, const StepPrediction& after) {
  GateResult result;
  result.condition = gate.text;
  const Metric& metric = metric_of(gate);
  result.before = metric.value(before);
  result.after = metric.value(after);
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

GateResult check_limit(const Gate& gate, const StepPrediction& prediction) {
  return check_gate(gate, prediction, prediction);
}

}  // namespace hloroof::internal::inline versions
