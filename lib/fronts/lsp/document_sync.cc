#include "lib/fronts/lsp/server.h"

namespace hloroof::internal::inline lsp {

LanguageServer::Open* LanguageServer::find_open(const std::string& uri) {
  const auto found = open_.find(uri);
  return found == open_.end() ? nullptr : found->second.get();
}

void LanguageServer::add_document_sync() {
  rpc_.on_notification("textDocument/didOpen", [this](const Json& params) {
    auto uri = string_at(params, {"textDocument", "uri"});
    auto text = string_at(params, {"textDocument", "text"});
    if (!uri || !text) return;
    const std::int64_t version = integer_at(params, {"textDocument", "version"}).value_or(0);
    open_[*uri] = std::make_unique<Open>(Document(*uri, *std::move(text), version));
  });
  rpc_.on_notification("textDocument/didChange", [this](const Json& params) {
    Open* open = find_open(string_at(params, {"textDocument", "uri"}).value_or(""));
    if (open == nullptr) return;
    const std::int64_t version = integer_at(params, {"textDocument", "version"}).value_or(open->document.version());
    open->document.edit(array_at(params, {"contentChanges"}), version, unit_);
    open->is_checked = open->is_settled = false;
  });
  rpc_.on_notification("textDocument/didClose", [this](const Json& params) {
    const std::string uri = string_at(params, {"textDocument", "uri"}).value_or("");
    if (open_.erase(uri) == 0) return;
    rpc_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  });
  rpc_.on_notification("workspace/didChangeConfiguration", [this](const Json& params) {
    if (const Json* settings = find(params, {"settings"}); settings != nullptr) change_settings(*settings);
  });
}

void LanguageServer::change_settings(const Json& settings) {
  read_settings(settings, settings_);
  for (auto& [uri, open] : open_) {
    open->document.forget_prediction();
    open->is_settled = false;
  }
}

void LanguageServer::publish(Open& open) {
  rpc_.notify("textDocument/publishDiagnostics", {{"uri", open.document.uri()},
                                                  {"version", open.document.version()},
                                                  {"diagnostics", diagnostics(view_of(open))}});
}

// Sends the errors of one changed text. Returns whether there may be more.
bool LanguageServer::check_one() {
  for (auto& [uri, open] : open_) {
    if (open->is_checked) continue;
    open->is_checked = true;
    publish(*open);
    return true;
  }
  return false;
}

// Predicts one changed text in another thread and sends its findings. Returns when a message arrives, and takes the
// result the next time.
bool LanguageServer::predict_one() {
  constexpr std::chrono::milliseconds kLook(2);  // how long a message waits at most
  for (auto& [uri, open] : open_) {
    if (open->is_settled) continue;
    Document& document = open->document;
    const Predicted* const before = document.predicted();
    const bool had_errors = !document.errors().empty();
    while (document.begin_prediction(settings_)) {
      while (!document.await_prediction(kLook)) {
        if (rpc_.is_busy()) return true;
      }
    }
    open->is_settled = true;
    if (had_errors && document.predicted() == before) continue;
    publish(*open);
    if (refreshes_hints_) rpc_.request("workspace/inlayHint/refresh", nullptr);
    if (refreshes_lenses_) rpc_.request("workspace/codeLens/refresh", nullptr);
    return true;
  }
  return false;
}

}  // namespace hloroof::internal::inline lsp
