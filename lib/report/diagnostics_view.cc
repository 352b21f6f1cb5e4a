#include <algorithm>
#include <set>

#include "lib/base/units.h"
#include "lib/predict/diagnostics.h"
#include "lib/report/table.h"
#include "lib/report/views.h"

namespace hloroof::internal {
namespace {

// Colors the severity as compilers do, with ECMA-48 escape sequences.
std::string severity_text(Severity severity, bool color) {
  const std::string name(to_string(severity));
  if (!color) return name;
  const char* const code = severity == Severity::kError ? "31" : severity == Severity::kWarning ? "35" : "36";
  return "\033[1;" + std::string(code) + "m" + name + "\033[0m";
}

std::string one_diagnostic(const Diagnostic& diagnostic, const ViewOptions& options) {
  const std::string severity = severity_text(diagnostic.severity, options.color);
  std::string head = " [" + std::string(to_string(diagnostic.code)) + "]";
  if (diagnostic.seconds_at_stake) head += " " + format_seconds(*diagnostic.seconds_at_stake) + " at stake";
  if (!diagnostic.op.empty()) {
    const std::size_t taken = to_string(diagnostic.severity).size() + head.size() + 3;
    const bool has_room = options.width == 0 || taken + 8 < options.width;
    head += " " + (options.width == 0 ? diagnostic.op : shorten(diagnostic.op, has_room ? options.width - taken : 8));
  }
  return "  " + severity + head + "\n    " + wrap(diagnostic.message, options.width, 4) + "\n";
}

}  // namespace

std::string diagnostics_view(const StepPrediction& p, const ViewOptions& options) {
  if (p.diagnostics.empty()) return "Diagnostics: none\n";
  std::string out = "Diagnostics\n";
  for (const Diagnostic& diagnostic : p.diagnostics) out += one_diagnostic(diagnostic, options);
  return out;
}

std::string origin_diagnostics_view(const StepPrediction& p, const ViewOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (is_about_origin(diagnostic)) out += one_diagnostic(diagnostic, options);
  }
  return out;
}

std::string first_diagnostics_view(const StepPrediction& p, std::size_t count, const ViewOptions& options) {
  std::set<std::string> ops;  // each op is shown once, because its seconds can be saved only once
  std::size_t shown = 0;
  std::size_t more = 0;
  std::string out = "Diagnostics\n";
  for (const Diagnostic& diagnostic : p.diagnostics) {
    if (diagnostic.severity == Severity::kInfo || is_about_origin(diagnostic)) continue;  // these are at the top
    const bool is_new = diagnostic.op.empty() || ops.insert(diagnostic.op).second;
    if (shown < count && is_new) {
      out += one_diagnostic(diagnostic, options);
      ++shown;
    } else {
      ++more;
    }
  }
  if (shown == 0) return "";
  if (more > 0) out += "  [" + std::to_string(more) + " more: --view diagnostics]\n";
  return out;
}

}  // namespace hloroof::internal
