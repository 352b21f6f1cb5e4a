#include "lib/fronts/lsp/server.h"

namespace hloroof::internal::inline lsp {

// Adds a request about an open document.
void LanguageServer::on_document(std::string_view method, Feature feature) {
  rpc_.on_request(method, [this, feature = std::move(feature)](const Json& params) -> Reply {
    const std::string uri = string_at(params, {"textDocument", "uri"}).value_or("");
    Open* open = find_open(uri);
    if (open == nullptr) return RpcError{RpcCode::kInvalidParams, "the document is not open: " + uri, nullptr};
    return feature(view_of(*open), params);
  });
}

void LanguageServer::predict_for_display(const EditorView& view) const {
  const bool can_wait = view.document.predicted() != nullptr && refreshes_hints_ && refreshes_lenses_;
  if (!can_wait) view.document.predict(view.settings);
}

namespace {

std::size_t position_in(const EditorView& view, const Json& params) {
  const Json* position = find(params, {"position"});
  return view.offset(position != nullptr ? *position : Json());
}

// The offsets of the range in `params`; the whole text if there is none.
std::pair<std::size_t, std::size_t> range_in(const EditorView& view, const Json& params) {
  const Json* start = find(params, {"range", "start"});
  const Json* end = find(params, {"range", "end"});
  if (start == nullptr || end == nullptr) return {0, view.document.text().size()};
  return {view.offset(*start), view.offset(*end)};
}

}  // namespace

Reply LanguageServer::full_tokens(const EditorView& view) {
  view.document.sent_tokens.id = ++last_tokens_id_;
  return Json{{"resultId", std::to_string(last_tokens_id_)}, {"data", all_semantic_tokens(view)}};
}

Reply LanguageServer::tokens_delta(const EditorView& view, const Json& params) {
  SentTokens& sent = view.document.sent_tokens;
  if (string_at(params, {"previousResultId"}) != std::to_string(sent.id)) return full_tokens(view);
  Json edits = changed_semantic_tokens(view);
  sent.id = ++last_tokens_id_;
  return Json{{"resultId", std::to_string(sent.id)}, {"edits", std::move(edits)}};
}

void LanguageServer::add_requests() {
  on_document("textDocument/hover", [](const EditorView& view, const Json& params) -> Reply {
    return hover(view, position_in(view, params));
  });
  on_document("textDocument/inlayHint", [this](const EditorView& view, const Json& params) -> Reply {
    predict_for_display(view);
    const auto [begin, end] = range_in(view, params);
    return inlay_hints(view, begin, end);
  });
  on_document("textDocument/codeLens", [this](const EditorView& view, const Json&) -> Reply {
    predict_for_display(view);
    return code_lenses(view);
  });
  on_document("textDocument/definition", [this](const EditorView& view, const Json& params) {
    return definition(view, position_in(view, params), folders_);
  });
  on_document("textDocument/implementation", [this](const EditorView& view, const Json& params) {
    return source_line(view, position_in(view, params), folders_);
  });
  on_document("textDocument/references", [](const EditorView& view, const Json& params) -> Reply {
    return references(view, position_in(view, params),
                      bool_at(params, {"context", "includeDeclaration"}).value_or(true));
  });
  on_document("textDocument/documentHighlight", [](const EditorView& view, const Json& params) -> Reply {
    return highlights(view, position_in(view, params));
  });
  on_document("textDocument/documentSymbol",
              [](const EditorView& view, const Json&) -> Reply { return document_symbols(view); });
  on_document("textDocument/foldingRange",
              [](const EditorView& view, const Json&) -> Reply { return folding_ranges(view); });
  on_document("textDocument/prepareRename", [](const EditorView& view, const Json& params) {
    return prepare_rename(view, position_in(view, params));
  });
  on_document("textDocument/rename", [](const EditorView& view, const Json& params) {
    return rename(view, position_in(view, params), string_at(params, {"newName"}).value_or(""));
  });
  on_document("textDocument/completion", [](const EditorView& view, const Json& params) -> Reply {
    return completions(view, position_in(view, params));
  });
  on_document("textDocument/semanticTokens/full",
              [this](const EditorView& view, const Json&) { return full_tokens(view); });
  on_document("textDocument/semanticTokens/full/delta",
              [this](const EditorView& view, const Json& params) { return tokens_delta(view, params); });
  on_document("textDocument/semanticTokens/range", [](const EditorView& view, const Json& params) -> Reply {
    const auto [begin, end] = range_in(view, params);
    return Json{{"data", semantic_tokens(view, begin, end)}};
  });
}

}  // namespace hloroof::internal::inline lsp
