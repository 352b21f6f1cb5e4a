// A server of the Language Server Protocol 3.17 for HLO text.
//
// One thread answers all messages. A change of the text is checked when no further message waits, which takes some
// milliseconds because only the changed computation is parsed. The prediction takes longer: it begins in another thread
// when the user has not typed for a moment, or at once when a request needs it and there is none. Until then hints and
// findings are those of the last text that was right.
#ifndef HLOROOF_LIB_FRONTS_LSP_SERVER_H_
#define HLOROOF_LIB_FRONTS_LSP_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "lib/fronts/lsp/document.h"
#include "lib/fronts/lsp/features.h"
#include "lib/fronts/lsp/settings.h"
#include "lib/fronts/rpc/server.h"

namespace hloroof::internal::inline lsp {

class LanguageServer {
 public:
  // `settings` hold until the client sends others. `wait` is that of RpcServer::on_quiet.
  LanguageServer(std::streambuf& in, std::ostream& out, EditorSettings settings, RpcServer::Wait wait = nullptr);

  // Serves the client until it exits or closes the input. Returns whether it ended as the protocol demands, with
  // `shutdown` before `exit`.
  bool run();

 private:
  struct Open {
    explicit Open(Document opened) : document(std::move(opened)) {}
    Document document;
    bool is_checked = false;  // diagnostics of this text were sent
    bool is_settled = false;  // and those of its prediction
  };
  using Feature = std::function<Reply(const EditorView& view, const Json& params)>;

  // lifecycle.cc
  void add_lifecycle();
  Reply initialize(const Json& params);
  std::optional<RpcError> refuse(const Message& message) const;
  // document_sync.cc
  void add_document_sync();
  void publish(Open& open);
  bool check_one();
  bool predict_one();
  void change_settings(const Json& settings);
  // requests.cc
  void add_requests();
  void on_document(std::string_view method, Feature feature);
  // Predicts now if there is no prediction at all, or if the client could not be told about a later one.
  void predict_for_display(const EditorView& view) const;
  Reply full_tokens(const EditorView& view);
  Reply tokens_delta(const EditorView& view, const Json& params);
  // commands.cc
  void add_commands();
  Reply execute(const Json& params);
  void choose_device();
  Reply open_report(const Json& arguments);

  EditorView view_of(Open& open) const { return {open.document, settings_, unit_}; }
  Open* find_open(const std::string& uri);

  RpcServer rpc_;
  EditorSettings settings_;
  PositionUnit unit_ = PositionUnit::kUtf16;
  std::map<std::string, std::unique_ptr<Open>> open_;
  std::vector<std::string> folders_;
  std::uint64_t last_tokens_id_ = 0;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  bool refreshes_hints_ = false;
  bool refreshes_lenses_ = false;
  bool shows_documents_ = false;
};

}  // namespace hloroof::internal::inline lsp

#endif  // HLOROOF_LIB_FRONTS_LSP_SERVER_H_
