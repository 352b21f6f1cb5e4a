#include "lib/report/diff.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "absl/strings/str_format.h"
#include "lib/base/strings.h"
#include "lib/report/table.h"
#include "lib/report/units.h"

namespace hloroof::internal {
namespace {

struct Change {
  std::string name;
  double before = 0;
  double after = 0;
  bool was_there = false;
  bool is_there = false;
  double delta() const { return after - before; }
};

std::string relative(double before, double after) {
  if (before == after) return "[ = ]";
  if (before == 0) return "[NEW]";
  if (after == 0) return "-100.0 %";
  return absl::StrFormat("%+.1f %%", 100 * (after - before) / before);
}

std::string signed_seconds(double seconds) { return (seconds > 0 ? "+" : "") + format_seconds(seconds); }

template <typename Key>
std::vector<Change> changes(const StepPrediction& before, const StepPrediction& after, Key key) {
  std::map<std::string, Change> by_name;
  for (const OpPrediction& op : before.ops) {
    Change& change = by_name[key(op)];
    change.before += op.exposed_seconds;
    change.was_there = true;
  }
  for (const OpPrediction& op : after.ops) {
    Change& change = by_name[key(op)];
    change.after += op.exposed_seconds;
    change.is_there = true;
  }
  std::vector<Change> result;
  for (auto& [name, change] : by_name) {
    if (change.before == 0 && change.after == 0) continue;
    change.name = name;
    result.push_back(std::move(change));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Change& a, const Change& b) { return std::abs(a.delta()) > std::abs(b.delta()); });
  return result;
}

std::string change_table(std::string_view title, const std::vector<Change>& all, std::size_t limit, std::size_t width) {
  Table table({{"change", Align::kRight},
               {"relative", Align::kRight},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {std::string(title)}});
  Change total;
  Change others;
  Change unchanged;
  std::size_t shown = 0;
  std::size_t hidden = 0;
  std::size_t same = 0;
  const auto add = [&](const Change& change, std::string state) {
    table.add({signed_seconds(change.delta()), std::move(state), format_seconds(change.before),
               format_seconds(change.after), change.name});
  };
  for (const Change& change : all) {
    total.before += change.before;
    total.after += change.after;
    if (change.delta() == 0 && change.was_there && change.is_there) {
      unchanged.before += change.before;
      unchanged.after += change.after;
      ++same;
      continue;
    }
    if (limit > 0 && shown >= limit) {
      others.before += change.before;
      others.after += change.after;
      ++hidden;
      continue;
    }
    ++shown;
    add(change, !change.was_there ? "[NEW]" : !change.is_there ? "[GONE]" : relative(change.before, change.after));
  }
  if (hidden > 0) {
    others.name = absl::StrFormat("[%d others]", hidden);
    add(others, relative(others.before, others.after));
  }
  if (same > 0) {
    unchanged.name = absl::StrFormat("[%d unchanged]", same);
    add(unchanged, relative(unchanged.before, unchanged.after));
  }
  total.name = "TOTAL";
  add(total, relative(total.before, total.after));
  return table.to_string(width);
}

double metric(std::string_view name, const StepPrediction& p) {
  if (name == "step") return p.step_seconds;
  if (name == "exposed") return p.exposed_communication_seconds;
  if (name == "memory") return p.memory.hbm_peak_bytes;
  if (name == "flops") return p.flops;
  if (name == "hbm") return p.hbm_bytes;
  return p.wire_bytes;
}

}  // namespace

std::string diff_view(const StepPrediction& before, const StepPrediction& after, const DiffOptions& options) {
  Table totals({{"", Align::kLeft}, {"before", Align::kRight}, {"after", Align::kRight}, {"relative", Align::kRight}});
  const auto row = [&](const char* name, double a, double b, std::string (*format)(double)) {
    totals.add({name, format(a), format(b), relative(a, b)});
  };
  row("step time", before.step_seconds, after.step_seconds, format_seconds);
  row("exposed comm.", before.exposed_communication_seconds, after.exposed_communication_seconds, format_seconds);
  row("peak memory", before.memory.hbm_peak_bytes, after.memory.hbm_peak_bytes, format_bytes);
  row("flops", before.flops, after.flops, [](double flops) { return format_flops(flops); });
  row("HBM bytes", before.hbm_bytes, after.hbm_bytes, format_bytes);
  row("wire bytes", before.wire_bytes, after.wire_bytes, format_bytes);
  std::string out = totals.to_string(options.width);
  out += "\nBy category\n" + change_table("category",
                                          changes(before, after, [](const OpPrediction& op) { return op.category; }), 0,
                                          options.width);
  out += "\nBy op\n" + change_table("op", changes(before, after, [](const OpPrediction& op) { return op.name; }),
                                    options.limit, options.width);
  return out;
}

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
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), gate.limit);
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

bool gate_fails(const Gate& gate, const StepPrediction& before, const StepPrediction& after) {
  const double a = metric(gate.metric, before);
  const double b = metric(gate.metric, after);
  double value = b;
  if (gate.kind == Gate::Kind::kChange) value = b - a;
  if (gate.kind == Gate::Kind::kRelativeChange) {
    // A change from 0 to a positive value is infinite.
    value = a != 0 ? (b - a) / a : b > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  if (value == gate.limit) return gate.or_equal;
  return gate.above ? value > gate.limit : value < gate.limit;
}

}  // namespace hloroof::internal
