#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "hloroof/attributes.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/explain/explain.h"
#include "lib/fronts/lsp/features.h"
#include "lib/values/shape_parser.h"

namespace hloroof::internal::inline lsp {
namespace {

constexpr std::size_t kMostValue = 400;  // bytes of an attribute's value that are shown
constexpr std::size_t kHoverWidth = 80;

std::string fenced(std::string_view text) { return absl::StrCat("```text\n", to_absl(text), "```\n"); }

DeviceFamily family_of(const EditorView& view) {
  const Predicted* predicted = view.document.predicted();
  return predicted != nullptr ? predicted->prediction.family : DeviceFamily::kOther;
}

// The op from the last prediction, or its shape if there is none.
std::string instruction_text(const EditorView& view, std::string_view computation, std::string_view name) {
  std::string text = absl::StrCat("**", to_absl(name), "**\n\n");
  const Predicted* predicted = view.document.predicted();
  if (predicted != nullptr) {
    const std::optional<InstructionView> instruction = predicted->named->find(computation, name);
    if (!instruction) return "";
    text += fenced(explain_shortly(predicted->prediction, *instruction, kHoverWidth));
    if (!view.document.errors().empty()) text += "\nAs of the last text without errors.\n";
    return text;
  }
  const NamedModule* named = view.document.module();
  const std::optional<InstructionView> instruction =
      named != nullptr ? named->find(computation, name) : std::optional<InstructionView>();
  if (!instruction) return "";
  text += fenced(absl::StrCat("  ", to_absl(instruction->opcode_text()), "\n",
                              explain_shape(instruction->shape(), DeviceFamily::kOther, 2)));
  const absl::Status& status = view.document.prediction_status();
  if (!status.ok()) text += absl::StrCat("\n", status.message(), "\n");
  return text;
}

std::string computation_text(const EditorView& view, std::string_view name) {
  const NamedModule* named = view.document.module();
  if (named == nullptr) return "";
  const auto found = named->computations.find(name);
  if (found == named->computations.end()) return "";
  const ComputationView computation = named->module.computation(found->second);
  std::string text =
      absl::StrCat("**", to_absl(name), "**\n\ncomputation of ", computation.instruction_count(), " instructions\n");
  const Predicted* predicted = view.document.predicted();
  if (predicted == nullptr || predicted->named.get() != named) return text;
  const ComputationTime& time = predicted->computations[computation.id().index];
  absl::StrAppend(&text, "\nruns ", format_count(time.runs), " times in a step, ", format_seconds(time.seconds),
                  " in all\n");
  return text;
}

// The shape that `token` is a part of, in words.
std::string shape_text(const EditorView& view, const LineTokens& line, const Token& token) {
  std::size_t begin = token.offset;
  std::size_t end = token.end();
  for (const Token& part : line.tokens) {
    const bool is_shape =
        part.role == TokenRole::kType || part.role == TokenRole::kDimensions || part.role == TokenRole::kLayout;
    if (!is_shape) continue;
    if (part.role == TokenRole::kType && part.offset <= token.offset) begin = part.offset;
    if (part.offset == end) end = part.end();
  }
  const std::string text(view.document.text().substr(begin, end - begin));
  ShapeTable table;
  ShapeParser parser;
  parser.start(&table, text.size());
  Cursor cursor(text);
  ShapeId id;
  if (!parser.read(cursor, &id)) return "";
  return absl::StrCat("**", text, "**\n\n", fenced(explain_shape(table[id], family_of(view), 2)));
}

// The value of the attribute that `token` belongs to.
std::string_view value_text(const EditorView& view, const LineTokens& line, const Token& token) {
  std::size_t begin = 0;
  std::size_t end = 0;
  for (const Token& part : line.tokens) {
    if (!part.in_attribute || part.attribute != token.attribute) continue;
    if (part.role == TokenRole::kAttributeName && part.offset <= token.offset) begin = end = part.end() + 1;
    if (begin > 0 && part.role != TokenRole::kAttributeName) end = std::max(end, part.end());
  }
  const std::string_view text = view.document.text();
  end = std::min(text.find_first_of("\r\n", std::max(begin, end)), text.size());
  // Up to the end of the value, with its closing brackets.
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '{' || c == '[' || c == '(') ++depth;
    if ((c == '}' || c == ']' || c == ')') && depth > 0) --depth;
    if (c == ',' && depth == 0) return text.substr(begin, i - begin);
  }
  return text.substr(begin, end - begin);
}

std::string attribute_text(const EditorView& view, const Spot& spot, const Token& token) {
  const std::string_view meaning = attribute_meaning(token.attribute);
  if (meaning.empty()) return "";
  std::string value(value_text(view, spot.line, token));
  if (value.size() > kMostValue) value = value.substr(0, kMostValue) + "...";
  return absl::StrCat("**", to_absl(to_string(token.attribute)), "**: ", to_absl(meaning), "\n\n",
                      fenced(value + "\n"));
}

std::string hover_text(const EditorView& view, const Spot& spot) {
  const Token& token = *spot.token;
  const Outline& outline = view.document.outline();
  const std::string_view computation =
      spot.computation == Outline::kNone ? "" : outline.name(outline.computations()[spot.computation]);
  switch (token.role) {
    case TokenRole::kType:
    case TokenRole::kDimensions:
    case TokenRole::kLayout: return shape_text(view, spot.line, token);
    case TokenRole::kOperand: return instruction_text(view, computation, token_text(view, token));
    case TokenRole::kComputation: return computation_text(view, token_text(view, token));
    case TokenRole::kName:
    case TokenRole::kOpcode:
      if (spot.is_head) return computation_text(view, token_text(view, token));
      if (spot.instruction == Outline::kNone) return "";
      return instruction_text(view, computation, outline.name(outline.instructions()[spot.instruction]));
    default: return token.in_attribute ? attribute_text(view, spot, token) : "";
  }
}

}  // namespace

Json hover(const EditorView& view, std::size_t offset) {
  const Spot spot = spot_at(view, offset);
  if (!spot.token) return nullptr;
  view.document.predict(view.settings);
  const std::string text = hover_text(view, spot);
  if (text.empty()) return nullptr;
  return Json{{"contents", {{"kind", "markdown"}, {"value", text}}},
              {"range", view.range(spot.token->offset, spot.token->end())}};
}

}  // namespace hloroof::internal::inline lsp
