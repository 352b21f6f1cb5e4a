
#include "lib/fronts/lsp/features.h"

namespace hloroof::internal::inline lsp {

Spot spot_at(const EditorView& view, std::size_t offset) {
  Spot spot;
  const Outline& outline = view.document.outline();
  const std::string_view text = view.document.text();
  if (offset < text.size() && text[offset] == '%') ++offset;
  spot.instruction = outline.instruction_at(offset);
  spot.computation = outline.computation_at(offset);
  if (spot.instruction != Outline::kNone) {
    const OutlineInstruction& instruction = outline.instructions()[spot.instruction];
    spot.computation = instruction.computation;
    spot.line = instruction_tokens(text, instruction.begin, instruction.end);
  } else if (spot.computation != Outline::kNone && offset <= outline.computations()[spot.computation].head_end) {
    const OutlineComputation& computation = outline.computations()[spot.computation];
    spot.is_head = true;
    spot.line = computation_tokens(text, computation.begin, computation.head_end);
  } else if (const auto [begin, end] = outline.header(); begin <= offset && offset <= end && begin < end) {
    spot.line = header_tokens(text, begin, end);
  }
  if (const Token* token = spot.line.at(offset); token != nullptr) spot.token = *token;
  return spot;
}

std::string_view token_text(const EditorView& view, const Token& token) {
  return view.document.text().substr(token.offset, token.size);
}

std::optional<Symbol> symbol_at(const EditorView& view, std::size_t offset) {
  const Spot spot = spot_at(view, offset);
  if (!spot.token) return std::nullopt;
  const Token& token = *spot.token;
  Symbol symbol;
  symbol.name = token_text(view, token);
  symbol.token = token;
  symbol.computation = spot.computation;
  if (token.role == TokenRole::kComputation || (spot.is_head && token.role == TokenRole::kName)) {
    symbol.is_computation = true;
    symbol.computation = view.document.outline().find_computation(symbol.name);
    return symbol;
  }
  const bool is_name = token.role == TokenRole::kName || token.role == TokenRole::kOperand;
  if (!is_name || spot.instruction == Outline::kNone) return std::nullopt;
  return symbol;
}

}  // namespace hloroof::internal::inline lsp
