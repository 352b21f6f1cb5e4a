#include <algorithm>

#include "lib/base/units.h"
#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {

Json inlay_hints(const EditorView& view, std::size_t begin, std::size_t end) {
  Json hints = Json::array();
  const Predicted* predicted = view.document.predicted();
  if (predicted == nullptr || !view.settings.inlay_hints) return hints;
  const double step = predicted->prediction.step_seconds;
  if (step <= 0) return hints;
  const Outline& outline = view.document.outline();
  const auto& instructions = outline.instructions();
  auto at = std::lower_bound(instructions.begin(), instructions.end(), begin,
                             [](const OutlineInstruction& i, std::size_t offset) { return i.end < offset; });
  for (; at != instructions.end() && at->begin < end; ++at) {
    const OpPrediction* op = predicted->op(outline.name(outline.computations()[at->computation]), outline.name(*at));
    if (op == nullptr || op->exposed_seconds < view.settings.minimum_share * step || op->exposed_seconds <= 0) continue;
    std::string tooltip = format_seconds(op->seconds) + " for one execution";
    if (op->executions != 1) tooltip += ", " + format_count(op->executions) + " executions";
    if (op->wait_seconds > 0) tooltip += "; " + format_seconds(op->wait_seconds) + " of the step are waits";
    if (!op->limit.empty()) tooltip += "; bound by " + op->limit;
    const std::size_t place = at->name + at->name_size;
    hints.push_back(
        {{"position", position_json(view.document.lines().position(view.document.text(), place, view.unit))},
         {"label", format_seconds(op->exposed_seconds) + ", " + format_percent(op->exposed_seconds / step)},
         {"tooltip", tooltip},
         {"paddingLeft", true}});
  }
  return hints;
}

}  // namespace hloroof::internal::inline lsp
