#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {
namespace {

Json lens(const EditorView& view, std::size_t begin, std::size_t end, const std::string& title, const char* command,
          Json arguments) {
  return Json{{"range", view.range(begin, end)},
              {"command", {{"title", title}, {"command", command}, {"arguments", std::move(arguments)}}}};
}

// What the first line of the text says about the step.
std::string step_text(const EditorView& view) {
  const Predicted* predicted = view.document.predicted();
  if (predicted == nullptr) {
    if (view.settings.device.empty()) return "choose a device to see times";
    if (!view.document.errors().empty()) return "no times: the text has errors";
    if (view.document.prediction_status().ok()) return "predicting";
    const std::string why(from_absl(view.document.prediction_status().message()));
    return "no times: " + why.substr(0, why.find('\n'));
  }
  const StepPrediction& step = predicted->prediction;
  std::string text = "step " + format_seconds(step.step_seconds) + " on " + step.device;
  if (!step.topology.empty()) text += " " + step.topology;
  return text + ", bound by " + std::string(to_string(step.bound, step.family));
}

}  // namespace

Json code_lenses(const EditorView& view) {
  Json lenses = Json::array();
  if (!view.settings.code_lenses) return lenses;
  const auto [begin, end] = view.document.outline().header();
  const Predicted* predicted = view.document.predicted();
  lenses.push_back(lens(view, begin, end, step_text(view), "hloroof.chooseDevice", Json::array()));
  if (predicted == nullptr) return lenses;
  lenses.push_back(lens(view, begin, end, "open the report", "hloroof.report", Json::array({view.document.uri()})));
  const Outline& outline = view.document.outline();
  const double step = predicted->prediction.step_seconds;
  for (const OutlineComputation& computation : outline.computations()) {
    const auto found = predicted->named->computations.find(outline.name(computation));
    if (found == predicted->named->computations.end()) continue;
    const ComputationTime& time = predicted->computations[found->second.index];
    if (time.seconds <= 0) continue;
    std::string title = format_seconds(time.seconds);
    if (step > 0) title += ", " + format_percent(time.seconds / step) + " of the step";
    if (time.runs != 1) title += ", runs " + format_count(time.runs) + " times";
    lenses.push_back(lens(view, computation.begin, computation.head_end, title, "", nullptr));
  }
  return lenses;
}

}  // namespace hloroof::internal::inline lsp
