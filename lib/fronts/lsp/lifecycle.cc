#include "hloroof/version.h"
#include "lib/fronts/lsp/server.h"

namespace hloroof::internal::inline lsp {
namespace {

Json capabilities(PositionUnit unit) {
  return Json{
      {"positionEncoding", unit == PositionUnit::kUtf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}}},  // 2: the changed ranges
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"implementationProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"inlayHintProvider", true},
      {"completionProvider", {{"triggerCharacters", Json::array({"%", ",", " ", "=", "("})}}},
      {"semanticTokensProvider", {{"legend", semantic_tokens_legend()}, {"range", true}, {"full", {{"delta", true}}}}},
      {"executeCommandProvider",
       {{"commands", Json::array({"hloroof.setDevice", "hloroof.chooseDevice", "hloroof.devices", "hloroof.report"})}}},
  };
}

bool offers_utf8(const Json& params) {
  for (const Json& encoding : array_at(params, {"capabilities", "general", "positionEncodings"})) {
    if (encoding == "utf-8") return true;
  }
  return false;
}

}  // namespace

LanguageServer::LanguageServer(std::streambuf& in, std::ostream& out, EditorSettings settings, RpcServer::Wait wait)
    : rpc_(in, out), settings_(std::move(settings)) {
  constexpr std::chrono::milliseconds kQuiet(200);
  rpc_.set_guard([this](const Message& message) { return refuse(message); });
  rpc_.on_idle([this] { return check_one(); });
  rpc_.on_quiet([this] { return predict_one(); }, kQuiet, std::move(wait));
  add_lifecycle();
  add_document_sync();
  add_requests();
  add_commands();
}

bool LanguageServer::run() {
  rpc_.run();
  return is_shut_down_;
}

std::optional<RpcError> LanguageServer::refuse(const Message& message) const {
  if (message.method == "exit") return std::nullopt;
  if (is_shut_down_) return RpcError{RpcCode::kInvalidRequest, "the server is shut down", nullptr};
  if (!is_initialized_ && message.method != "initialize") {
    return RpcError{RpcCode::kServerNotInitialized, "the first request must be initialize", nullptr};
  }
  return std::nullopt;
}

Reply LanguageServer::initialize(const Json& params) {
  if (is_initialized_) return RpcError{RpcCode::kInvalidRequest, "the server is initialized", nullptr};
  is_initialized_ = true;
  unit_ = offers_utf8(params) ? PositionUnit::kUtf8 : PositionUnit::kUtf16;
  const auto can = [&](std::string_view group, std::string_view what, std::string_view how) {
    return bool_at(params, {"capabilities", group, what, how}).value_or(false);
  };
  refreshes_hints_ = can("workspace", "inlayHint", "refreshSupport");
  refreshes_lenses_ = can("workspace", "codeLens", "refreshSupport");
  shows_documents_ = can("window", "showDocument", "support");
  const Json& folders = array_at(params, {"workspaceFolders"});
  folders_.reserve(folders.size());
  for (const Json& folder : folders) folders_.push_back(path_of_uri(string_at(folder, {"uri"}).value_or("")));
  if (const Json* options = find(params, {"initializationOptions"}); options != nullptr) {
    read_settings(*options, settings_);
  }
  return Json{{"capabilities", capabilities(unit_)},
              {"serverInfo", {{"name", "hloroof"}, {"version", HLOROOF_VERSION_STRING}}}};
}

void LanguageServer::add_lifecycle() {
  rpc_.on_request("initialize", [this](const Json& params) { return initialize(params); });
  rpc_.on_request("shutdown", [this](const Json&) -> Reply {
    is_shut_down_ = true;
    return Json(nullptr);
  });
  rpc_.on_notification("exit", [this](const Json&) { rpc_.stop(); });
}

}  // namespace hloroof::internal::inline lsp
