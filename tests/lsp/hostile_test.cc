#include <algorithm>
#include <random>

#include "tests/lsp/session.h"

using namespace hloroof::internal;

namespace {

// Asks everything about `offset` of `text`. Only whether the answers come matters.
void ask_everything(Document& document, std::size_t offset, PositionUnit unit) {
  static const EditorSettings* const kSettings = new EditorSettings();
  const EditorView view{document, *kSettings, unit};
  CHECK(diagnostics(view).is_array());
  (void)hover(view, offset);
  (void)definition(view, offset, {});
  (void)references(view, offset, true);
  (void)rename(view, offset, "other");
  (void)completions(view, offset);
  (void)source_line(view, offset, {});
  CHECK(folding_ranges(view).is_array());
  CHECK(document_symbols(view).is_array());
  CHECK(code_lenses(view).is_array());
  CHECK(semantic_tokens(view, 0, document.text().size()).size() % 5 == 0);
}

}  // namespace

TEST_CASE("Messages that make no sense get an error, and the session goes on") {
  const std::string uri = Session::kUri;
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  session.bytes("Content-Length: 3\r\n\r\n{{{");
  session.bytes("Content-Length: x\r\n\r\n");
  session.bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  session.bytes("Content-Length: 20000\r\n\r\n" + std::string(20000, '['));
  session.bytes(framed(Json::array({1, 2})));
  const int unknown = session.request("textDocument/telepathy", Json::object());
  const int absent = session.request("textDocument/hover", {{"textDocument", {{"uri", "file:///other"}}}});
  const int wrong = session.request("textDocument/hover", {{"textDocument", uri}, {"position", "here"}});
  const int no_params = session.request("textDocument/hover", nullptr);
  const int list = session.request("textDocument/hover", Json::array({1}));
  const int far = session.at("textDocument/hover", 1'000'000'000'000, 1'000'000'000'000);
  const int negative = session.request(
      "textDocument/hover", {{"textDocument", {{"uri", uri}}}, {"position", {{"line", -1}, {"character", -7}}}});
  const int backwards = session.about(
      "textDocument/inlayHint",
      {{"range", {{"start", {{"line", 9}, {"character", 0}}}, {"end", {{"line", 1}, {"character", 0}}}}}});
  session.notify("textDocument/didChange", {{"textDocument", {{"uri", uri}}}, {"contentChanges", "all"}});
  session.notify("textDocument/didChange",
                 {{"textDocument", {{"uri", uri}}},
                  {"contentChanges", Json::array({1, {{"text", 5}}, {{"range", 7}, {"text", ""}}})}});
  session.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///other"}}}});
  session.notify("textDocument/didOpen", {{"textDocument", 7}});
  session.notify("textDocument/didClose", Json::array());
  session.notify(
      "workspace/didChangeConfiguration",
      {{"settings", {{"hloroof", {{"device", 7}, {"lint", 3}, {"inlayHints", {{"minimumShare", 1e300}}}}}}}});
  session.notify("$/unknown", nullptr);
  session.notify("$/cancelRequest", {{"id", {{"x", 1}}}});
  session.bytes(framed(Json{{"jsonrpc", "2.0"}, {"id", "never asked"}, {"result", 1}}));
  const int last = session.about("textDocument/foldingRange");
  session.run();
  CHECK(session.result(unknown).at("code") == -32601);
  for (const int id : {absent, wrong, no_params, list}) CHECK(session.result(id).at("code") == -32602);
  CHECK(session.result(far).is_null());
  CHECK(session.result(negative).is_null());
  CHECK(session.result(backwards).empty());
  CHECK(session.result(last).is_array());
  std::size_t nameless = 0;
  for (const Json& message : session.received) {
    const Json* id = find(message, {"id"});
    if (id != nullptr && id->is_null()) ++nameless;
  }
  CHECK(nameless == 5);
}

TEST_CASE("A request that is cancelled in time is answered so") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  const Json request = request_json(70, "textDocument/codeLens", {{"textDocument", {{"uri", Session::kUri}}}});
  session.bytes(framed(request_json(69, "textDocument/foldingRange", {{"textDocument", {{"uri", Session::kUri}}}})) +
                framed(request) + framed(notification_json("$/cancelRequest", {{"id", 70}})));
  session.run();
  CHECK(session.result(69).is_array());
  CHECK(session.result(70).at("code") == -32800);
}

TEST_CASE("A text cut at any byte is answered") {
  const std::string program(kProgram);
  for (std::size_t size = 0; size <= program.size(); ++size) {
    Document document("file:///x", program.substr(0, size), 1);
    ask_everything(document, size - std::min<std::size_t>(size, 3), PositionUnit::kUtf16);
  }
}

TEST_CASE("A text with any bit flipped is answered") {
  const std::string program = std::string(kProgram).substr(kProgram.find("%sum"));
  for (std::size_t bit = 0; bit < program.size() * 8; bit += 3) {
    std::string damaged = program;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    Document document("file:///x", damaged, 1);
    ask_everything(document, bit / 8, PositionUnit::kUtf16);
  }
}

TEST_CASE("Random edits keep the text and its lines together") {
  std::mt19937 random(3);
  Document document("file:///x", std::string(kProgram), 1);
  std::string expected(kProgram);
  for (int i = 0; i < 300; ++i) {
    const std::size_t begin = random() % (expected.size() + 1);
    const std::size_t size = random() % (std::min<std::size_t>(expected.size() - begin, 40) + 1);
    const std::string added = i % 3 == 0 ? "\n" : i % 3 == 1 ? "%x = f32[] add(\xc3\xa9" : "";
    const Lines lines(expected);
    const auto position = [&](std::size_t offset) {
      return position_json(lines.position(expected, offset, PositionUnit::kUtf8));
    };
    document.edit(
        Json::array({{{"range", {{"start", position(begin)}, {"end", position(begin + size)}}}, {"text", added}}}), i,
        PositionUnit::kUtf8);
    expected.replace(begin, size, added);
    REQUIRE(document.text() == expected);
    ask_everything(document, begin, PositionUnit::kUtf16);
  }
}
