// What every feature needs: a document, how its positions count, and the settings.
#ifndef HLOROOF_LIB_FRONTS_LSP_VIEW_H_
#define HLOROOF_LIB_FRONTS_LSP_VIEW_H_

#include <optional>
#include <string>
#include <string_view>

#include "lib/fronts/lsp/document.h"
#include "lib/fronts/lsp/settings.h"
#include "lib/fronts/lsp/tokens.h"

namespace hloroof::internal::inline lsp {

struct EditorView {
  Document& document;
  const EditorSettings& settings;
  PositionUnit unit = PositionUnit::kUtf16;

  Json range(std::size_t begin, std::size_t end) const {
    return Json{{"start", position_json(document.lines().position(document.text(), begin, unit))},
                {"end", position_json(document.lines().position(document.text(), end, unit))}};
  }
  std::size_t offset(const Json& position) const {
    return document.lines().offset(document.text(), read_position(position), unit);
  }
};

// What is at an offset: a token of a line, with the line.
struct Spot {
  LineTokens line;
  std::optional<Token> token;
  std::size_t instruction = Outline::kNone;  // in the outline; kNone outside of instructions
  std::size_t computation = Outline::kNone;
  bool is_head = false;  // the first line of the computation
};

Spot spot_at(const EditorView& view, std::size_t offset);

std::string_view token_text(const EditorView& view, const Token& token);

// The instruction or computation that a token names.
struct Symbol {
  bool is_computation = false;
  std::size_t computation = Outline::kNone;  // of the instruction, or the computation itself if it is in the text
  std::string name;
  Token token;
};
std::optional<Symbol> symbol_at(const EditorView& view, std::size_t offset);

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_VIEW_H_
