#include "tests/lsp/session.h"

using namespace hloroof::internal;

TEST_CASE("The protocol's order of messages is kept") {
  Session session;
  const int early = session.at("textDocument/hover", 0, 0);
  const int first = session.initialize();
  const int second = session.request("initialize", Json::object());
  const int shutdown = session.request("shutdown", nullptr);
  const int late = session.at("textDocument/hover", 0, 0);
  session.notify("exit", nullptr);
  const int ignored = session.request("shutdown", nullptr);
  CHECK(session.run());
  CHECK(session.result(early).at("code") == -32002);
  CHECK(session.result(first).at("serverInfo").at("name") == "hloroof");
  CHECK(session.result(second).at("code") == -32600);
  CHECK(session.result(shutdown).is_null());
  CHECK(session.result(late).at("code") == -32600);
  for (const Json& message : session.received) CHECK(message.at("id") != ignored);
}

TEST_CASE("A client that goes away without a word ends the server, which says so") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  CHECK_FALSE(session.run());
}

TEST_CASE("Every feature that is announced is served") {
  Session session;
  const int first = session.initialize();
  session.open(std::string(kProgram));
  const char* const methods[] = {"hover",
                                 "definition",
                                 "implementation",
                                 "references",
                                 "documentHighlight",
                                 "documentSymbol",
                                 "foldingRange",
                                 "prepareRename",
                                 "rename",
                                 "codeLens",
                                 "inlayHint",
                                 "completion",
                                 "semanticTokens/full",
                                 "semanticTokens/range",
                                 "semanticTokens/full/delta"};
  std::vector<int> ids;
  for (const char* method : methods) ids.push_back(session.at("textDocument/" + std::string(method), 12, 4));
  session.run();
  std::size_t announced = 0;
  const Json capabilities = session.result(first).at("capabilities");
  for (const auto& [name, value] : capabilities.items()) {
    if (name.size() > 8 && name.substr(name.size() - 8) == "Provider") ++announced;
  }
  CHECK(announced ==
        13);  // executeCommand is the one without a method above; three are for semantic tokens, two for rename
  for (const int id : ids) {
    const Json result = session.result(id);
    const bool is_unknown = result.is_object() && result.contains("code") && result.at("code") == -32601;
    CHECK_FALSE(is_unknown);
  }
}
