// What the user of an editor can set.
#ifndef HLOROOF_LIB_FRONTS_LSP_SETTINGS_H_
#define HLOROOF_LIB_FRONTS_LSP_SETTINGS_H_

#include <string>
#include <vector>

#include "hloroof/predict.h"
#include "lib/base/json.h"

namespace hloroof::internal::inline lsp {

struct EditorSettings {
  std::string device;    // a target or the path of a device file; empty: no times
  std::string topology;  // empty: the default of the device
  // Hints are shown for ops that take at least this share of the step.
  double minimum_share = 0.005;
  bool inlay_hints = true;
  bool code_lenses = true;
  Severity minimum_severity = Severity::kWarning;  // of lint findings
  std::vector<std::string> ignored;                // codes of lint findings
};

// Reads {"device", "topology", "inlayHints": {"enable", "minimumShare"}, "codeLens": {"enable"}, "lint":
// {"minimumSeverity", "ignore"}}, also if they are in a member "hloroof". What is missing or of another type keeps its
// value.
void read_settings(const Json& json, EditorSettings& settings);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_SETTINGS_H_
