#include "lib/fronts/cli/origin_warnings.h"

#include "lib/diagnose/diagnostics.h"

namespace hloroof::internal::inline cli {

void OriginWarnings::add(std::string_view file, const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!is_about_origin(diagnostic)) continue;
    std::string line = std::string(file == "-" ? "<stdin>" : file) + ": " + diagnostic.message + " [" +
                       std::string(to_string(diagnostic.code)) + "]\n";
    if (!written_.insert(line).second) continue;
    context_.err << "hloroof: " << to_string(diagnostic.severity) << ": " << line;
  }
}

}  // namespace hloroof::internal::inline cli
