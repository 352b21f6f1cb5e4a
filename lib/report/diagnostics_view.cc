#include "lib/report/prediction_json.h"
#include "lib/report/table.h"
#include "lib/report/units.h"
#include "lib/report/views.h"

namespace hloroof::inline v0 {

std::string diagnostics_view(const StepPrediction& p, const ViewOptions& options) {
  if (p.diagnostics.empty()) return "Diagnostics: none\n";
  std::string out = "Diagnostics\n";
  for (const Diagnostic& diagnostic : p.diagnostics) {
    std::string head = std::string(severity_name(diagnostic.severity)) + " [" + diagnostic.code + "]";
    if (diagnostic.seconds_at_stake) head += " " + format_seconds(*diagnostic.seconds_at_stake) + " at stake";
    if (!diagnostic.op.empty()) {
      const std::size_t taken = head.size() + 3;
      const bool has_room = options.width == 0 || taken + 8 < options.width;
      head += " " + (options.width == 0 ? diagnostic.op : shorten(diagnostic.op, has_room ? options.width - taken : 8));
    }
    out += "  " + head + "\n    " + wrap(diagnostic.message, options.width, 4) + "\n";
  }
  return out;
}

}  // namespace hloroof::inline v0
