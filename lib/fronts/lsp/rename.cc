#include "lib/fronts/lsp/features.h"
#include "lib/text/legal_name.h"

namespace hloroof::internal::inline lsp {
namespace {

RpcError refusal(std::string message) { return {RpcCode::kInvalidParams, std::move(message), nullptr}; }

}  // namespace

Reply prepare_rename(const EditorView& view, std::size_t offset) {
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return Json(nullptr);
  return Json{{"range", view.range(symbol->token.offset, symbol->token.end())}, {"placeholder", symbol->name}};
}

Reply rename(const EditorView& view, std::size_t offset, std::string_view new_name) {
  const std::optional<Symbol> symbol = symbol_at(view, offset);
  if (!symbol) return refusal("there is no name of an instruction or a computation here");
  if (!new_name.empty() && new_name[0] == '%') new_name.remove_prefix(1);
  if (!is_name(new_name) || legal_name(new_name) != new_name) {
    return refusal("a name begins with a letter, continues with letters, digits, '_', '.' and '-', and is not a type");
  }
  const Outline& outline = view.document.outline();
  const bool is_taken = symbol->is_computation
                            ? outline.find_computation(new_name) != Outline::kNone
                            : outline.find_instruction(symbol->computation, new_name) != Outline::kNone;
  if (is_taken && new_name != symbol->name) return refusal("the name " + std::string(new_name) + " is taken");
  Json edits = Json::array();
  for (const std::size_t place : occurrences(view, *symbol, /*include_definition=*/true)) {
    edits.push_back({{"range", view.range(place, place + symbol->name.size())}, {"newText", std::string(new_name)}});
  }
  Json changes = Json::object();
  changes[view.document.uri()] = std::move(edits);
  return Json{{"changes", std::move(changes)}};
}

}  // namespace hloroof::internal::inline lsp
