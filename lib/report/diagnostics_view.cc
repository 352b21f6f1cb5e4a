#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "lib/base/units.h"
#include "lib/describe/table.h"
#include "lib/diagnose/diagnostics.h"
#include "lib/report/views.h"
#include "lib/step/costs.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline report {
namespace {

// Colors the severity as compilers do, with ECMA-48 escape sequences.
std::string severity_text(Severity severity, bool color) {
  std::string name(to_string(severity));
  if (!color) return name;
  const char* const code = severity == Severity::kError ? "31" : severity == Severity::kWarning ? "35" : "36";
  return "\033[1;" + std::string(code) + "m" + name + "\033[0m";
}

// Whether other causes count all of its time but noise.
bool is_counted_elsewhere(const Diagnostic& diagnostic, double step_seconds) {
  return diagnostic.counted_elsewhere_seconds > 0 &&
         diagnostic.seconds_at_stake.value_or(0) < kWorthOfStep * step_seconds;
}

// "55.1 ms, 31.2 % of the step", "1.50 GiB", or what other diagnostics count of it.
std::string stake_text(const Diagnostic& diagnostic, double step_seconds) {
  const auto share = [step_seconds](double seconds) {
    return step_seconds > 0 ? format_percent(seconds / step_seconds) + " of the step" : std::string();
  };
  if (diagnostic.seconds_at_stake) {
    const double seconds = *diagnostic.seconds_at_stake;
    if (is_counted_elsewhere(diagnostic, step_seconds)) {
      return share(diagnostic.counted_elsewhere_seconds) + ", counted by other causes";
    }
    return format_seconds(seconds) + ", " + share(seconds);
  }
  return diagnostic.bytes_at_stake ? format_bytes(*diagnostic.bytes_at_stake) : "";
}

// "copy.1, copy.7 and 12 others".
std::string example_ops(const std::vector<std::string>& ops, std::size_t width) {
  constexpr std::size_t kShown = 3;
  std::string text;
  const std::size_t shown = ops.size() <= kShown + 1 ? ops.size() : kShown;
  for (std::size_t i = 0; i < shown; ++i) {
    text += i == 0 ? "" : i + 1 == ops.size() ? " and " : ", ";
    text += width == 0 ? ops[i] : shorten(ops[i], width / 2);
  }
  if (ops.size() > shown) text += " and " + std::to_string(ops.size() - shown) + " others";
  return text;
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic, double step_seconds, const ViewOptions& options) {
  const std::string severity = severity_text(diagnostic.severity, options.color);
  std::string head = " [" + std::string(to_string(diagnostic.code)) + "]";
  if (const std::string stake = stake_text(diagnostic, step_seconds); !stake.empty()) head += " " + stake;
  const bool is_one = diagnostic.ops.size() == 1;
  if (is_one) {
    const std::size_t taken = to_string(diagnostic.severity).size() + head.size() + 4;
    const bool has_room = options.width == 0 || taken + 8 < options.width;
    head += ": " + (options.width == 0 ? diagnostic.op : shorten(diagnostic.op, has_room ? options.width - taken : 8));
  } else if (!diagnostic.ops.empty()) {
    head += ", " + std::to_string(diagnostic.ops.size()) + " ops";
  }
  std::string out = "  " + severity + head + "\n";
  // The other causes are printed and say what to do.
  if (diagnostic.ops.empty() && is_counted_elsewhere(diagnostic, step_seconds)) return out;
  const auto line = [&](const std::string& text) { out += "    " + wrap(text, options.width, 4) + "\n"; };
  const bool names_cause = !diagnostic.cause.empty() && diagnostic.message.find(diagnostic.cause) == std::string::npos;
  line(names_cause ? diagnostic.cause + ": " + diagnostic.message : diagnostic.message);
  if (diagnostic.ops.size() > 1) line("ops: " + example_ops(diagnostic.ops, options.width));
  return out;
}

std::string diagnostics_view(const StepPrediction& p, const ViewOptions& options) {
  if (p.diagnostics.empty()) return "Diagnostics: none\n";
  std::string out(kDiagnosticsTitle);
  for (const Diagnostic& diagnostic : p.diagnostics) out += diagnostic_text(diagnostic, p.step_seconds, options);
  return out;
}

std::string origin_diagnostics_view(const StepPrediction& p, const ViewOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (is_about_origin(diagnostic)) out += diagnostic_text(diagnostic, p.step_seconds, options);
  }
  return out;
}

std::string part_of_request(const StepPrediction& p) {
  if (p.facts == nullptr) return "";
  std::string part = part_of_machine(p.facts->target, p.facts->collectives.mapping.topology);
  if (!part.empty()) part.front() = absl::ascii_toupper(static_cast<unsigned char>(part.front()));
  return part;
}

std::string causes_view(const StepPrediction& p, std::size_t count, const ViewOptions& options) {
  std::size_t shown = 0;
  std::size_t more = 0;
  std::string out = "Causes and what to do about them (seconds are attributed to one cause only)\n";
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.severity == Severity::kInfo || is_about_origin(diagnostic)) continue;  // these are at the top
    if (shown < count && !is_counted_elsewhere(diagnostic, p.step_seconds)) {
      out += diagnostic_text(diagnostic, p.step_seconds, options);
      ++shown;
    } else {
      ++more;
    }
  }
  if (shown == 0) return "";
  if (more > 0) out += "  [" + std::to_string(more) + " more: --view diagnostics]\n";
  return out;
}

}  // namespace hloroof::internal::inline report
