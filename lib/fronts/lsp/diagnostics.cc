#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/fronts/lsp/features.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline lsp {
namespace {

constexpr std::size_t kMostRelated = 10;

// The numbers that the protocol has for severities.
int severity_number(Severity severity) {
  switch (severity) {
    case Severity::kError: return 1;
    case Severity::kWarning: return 2;
    case Severity::kInfo: break;
  }
  return 3;
}

Json location(const EditorView& view, std::size_t begin, std::size_t end) {
  return Json{{"uri", view.document.uri()}, {"range", view.range(begin, end)}};
}

Json error_json(const EditorView& view, const TextError& error) {
  const std::string_view text = view.document.text();
  const std::size_t begin = std::min(error.offset, text.size());
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end == begin && end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
  Json related = Json::array();
  for (const ErrorRecord& note : error.notes) {
    const std::size_t at = std::min(note.offset, text.size());
    related.push_back({{"location", location(view, at, at)}, {"message", note.message}});
  }
  return Json{{"range", view.range(begin, end)},
              {"severity", 1},
              {"source", "hloroof"},
              {"code", "syntax"},
              {"message", error.message},
              {"relatedInformation", std::move(related)}};
}

// An executed instruction in the present text; null if it is no longer there.
const OutlineInstruction* find_op_in_text(const EditorView& view, const Predicted& predicted, std::string_view name) {
  const Outline& outline = view.document.outline();
  const auto op = predicted.op_names.find(name);
  if (op == predicted.op_names.end()) return nullptr;
  const std::size_t found = outline.find_instruction(outline.find_computation(op->second->computation), name);
  return found == Outline::kNone ? nullptr : &outline.instructions()[found];
}

Json finding_json(const EditorView& view, const Predicted& predicted, const Diagnostic& diagnostic) {
  const auto [head_begin, head_end] = view.document.outline().header();
  std::size_t begin = head_begin;
  std::size_t end = std::min(head_begin + std::string_view("HloModule").size(), head_end);
  const OutlineInstruction* place = diagnostic.op.empty() ? nullptr : find_op_in_text(view, predicted, diagnostic.op);
  if (place != nullptr) {
    begin = place->name;
    end = place->name + place->name_size;
  }
  std::string message = (diagnostic.cause.empty() ? "" : diagnostic.cause + ": ") + diagnostic.message;
  const double step = predicted.prediction.step_seconds;
  if (diagnostic.seconds_at_stake && *diagnostic.seconds_at_stake > 0 && step > 0) {
    absl::StrAppend(&message, "\nAt stake: ", format_seconds(*diagnostic.seconds_at_stake), ", ",
                    format_percent(*diagnostic.seconds_at_stake / step), " of the step");
    if (diagnostic.ops.size() > 1) absl::StrAppend(&message, ", in ", diagnostic.ops.size(), " ops");
  }
  Json related = Json::array();
  for (std::size_t i = 1; i < diagnostic.ops.size() && i < kMostRelated; ++i) {
    const OutlineInstruction* other = find_op_in_text(view, predicted, diagnostic.ops[i]);
    if (other == nullptr) continue;
    related.push_back(
        {{"location", location(view, other->name, other->name + other->name_size)}, {"message", "the same cause"}});
  }
  return Json{{"range", view.range(begin, end)},
              {"severity", severity_number(diagnostic.severity)},
              {"source", "hloroof"},
              {"code", std::string(to_string(diagnostic.code))},
              {"message", message},
              {"relatedInformation", std::move(related)}};
}

}  // namespace

Json diagnostics(const EditorView& view) {
  Json list = Json::array();
  for (const TextError& error : view.document.errors()) list.push_back(error_json(view, error));
  const Predicted* predicted = view.document.predicted();
  if (predicted != nullptr) {
    for (const LintFinding& finding : predicted->findings) {
      if (finding.diagnostic.severity < view.settings.minimum_severity) continue;
      list.push_back(finding_json(view, *predicted, finding.diagnostic));
    }
  } else if (!view.document.prediction_status().ok() && !view.settings.device.empty()) {
    const auto [begin, end] = view.document.outline().header();
    list.push_back({{"range", view.range(begin, std::min(begin + std::string_view("HloModule").size(), end))},
                    {"severity", 2},
                    {"source", "hloroof"},
                    {"code", "not-predicted"},
                    {"message", std::string(from_absl(view.document.prediction_status().message()))}});
  }
  return list;
}

}  // namespace hloroof::internal::inline lsp
