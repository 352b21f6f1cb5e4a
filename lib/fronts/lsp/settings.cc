#include "lib/fronts/lsp/settings.h"

#include <utility>

namespace hloroof::internal::inline lsp {

void read_settings(const Json& json, EditorSettings& settings) {
  const Json* inner = find(json, {"hloroof"});
  const Json& from = inner != nullptr ? *inner : json;
  if (auto device = string_at(from, {"device"})) settings.device = *std::move(device);
  if (auto topology = string_at(from, {"topology"})) settings.topology = *std::move(topology);
  if (const auto share = number_at(from, {"inlayHints", "minimumShare"}); share && *share >= 0 && *share <= 1) {
    settings.minimum_share = *share;
  }
  settings.inlay_hints = bool_at(from, {"inlayHints", "enable"}).value_or(settings.inlay_hints);
  settings.code_lenses = bool_at(from, {"codeLens", "enable"}).value_or(settings.code_lenses);
  if (const auto severity = string_at(from, {"lint", "minimumSeverity"})) {
    for (const Severity one : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
      if (*severity == to_string(one)) settings.minimum_severity = one;
    }
  }
  if (const Json* ignored = find(from, {"lint", "ignore"}); ignored != nullptr && ignored->is_array()) {
    settings.ignored.clear();
    settings.ignored.reserve(ignored->size());
    for (const Json& code : *ignored) {
      if (code.is_string()) settings.ignored.push_back(code.get<std::string>());
    }
  }
}

}  // namespace hloroof::internal::inline lsp
