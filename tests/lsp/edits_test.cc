#include <algorithm>

#include "tests/lsp/session.h"

using namespace hloroof::internal;

namespace {

Json range_of(std::size_t line, std::size_t begin, std::size_t end) {
  return Json{{"start", {{"line", line}, {"character", begin}}}, {"end", {{"line", line}, {"character", end}}}};
}

}  // namespace

TEST_CASE("Errors come as they are typed, and the reader goes on behind them") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  session.change(range_of(5, 34, 35), "nowhere", 2);
  session.change(range_of(14, 34, 35), "zero", 3);
  session.change(range_of(14, 34, 38), "0", 4);
  session.change(range_of(5, 34, 41), "x", 5);
  session.run();
  const std::vector<Json> published = session.sent("textDocument/publishDiagnostics");
  std::vector<std::string> seen;
  for (const Json& one : published) {
    std::size_t errors = 0;
    for (const Json& item : one.at("diagnostics")) errors += item.at("severity") == 1 ? 1 : 0;
    seen.insert(seen.end(), json_text(one.at("version")) + ":" + std::to_string(errors));
  }
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());  // each prediction sends the findings again
  CHECK(seen == std::vector<std::string>{"1:0", "2:1", "3:2", "4:1", "5:0"});
}

TEST_CASE("Two independent errors have their own places") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  session.change(range_of(5, 34, 35), "nowhere", 2);
  session.change(range_of(15, 46, 51), "neither", 3);
  session.run();
  const Json list = session.sent("textDocument/publishDiagnostics").back().at("diagnostics");
  std::vector<Json> errors;
  for (const Json& item : list) {
    if (item.at("severity") == 1) errors.push_back(item);
  }
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].at("range").at("start").at("line") == 5);
  CHECK(errors[1].at("range").at("start").at("line") == 15);
}

TEST_CASE("Hints, lenses and hovers stay while the text has errors") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  const int before = session.about("textDocument/inlayHint");
  // Two lines above the dot, so that it moves, and an error.
  session.change(range_of(9, 0, 0), "\n  %broken = f32[\n", 2);
  const int after = session.about("textDocument/inlayHint");
  const int hover = session.at("textDocument/hover", 14, 4);
  const int lenses = session.about("textDocument/codeLens");
  session.run();
  const Json first = session.result(before);
  const Json second = session.result(after);
  REQUIRE(first.size() == 2);
  REQUIRE(second.size() == 2);
  CHECK(second[0].at("label") == first[0].at("label"));
  CHECK(second[0].at("position").at("line") == first[0].at("position").at("line").get<int>() + 2);
  CHECK_THAT(json_text(session.result(hover)), ContainsSubstring("last text without errors"));
  CHECK(session.result(lenses).size() == 4);
}

TEST_CASE("Columns count UTF-16 units, or bytes if the client can") {
  for (const bool is_utf8 : {false, true}) {
    CAPTURE(is_utf8);
    Session session;
    const Json encodings = is_utf8 ? Json::array({"utf-16", "utf-8"}) : Json::array({"utf-16", "utf-32"});
    const int initialized =
        session.initialize({{"device", "tpu_v5e"}}, {{"general", {{"positionEncodings", encodings}}}});
    session.open(std::string(kProgram));
    // source_line=3 is behind a letter of two bytes and an emoji of four.
    const PositionUnit unit = is_utf8 ? PositionUnit::kUtf8 : PositionUnit::kUtf16;
    const std::size_t offset = kProgram.find("source_line=3");
    const Position position = Lines(kProgram).position(kProgram, offset, unit);
    session.change(range_of(position.line, position.character, position.character + 11), "source_lime", 2);
    const int hover = session.at("textDocument/hover", position.line, position.character + 1);
    session.run();
    CHECK(session.result(initialized).at("capabilities").at("positionEncoding") == (is_utf8 ? "utf-8" : "utf-16"));
    CHECK(json_text(session.result(hover).at("range")) ==
          json_text(range_of(position.line, position.character, position.character + 11)));
    CHECK_THAT(json_text(session.result(hover)), ContainsSubstring("source_lime=3"));
  }
}

TEST_CASE("A change without a range replaces the text, and closing takes the diagnostics away") {
  Session session;
  session.initialize();
  session.open("nonsense {");
  session.notify("textDocument/didChange", {{"textDocument", {{"uri", Session::kUri}, {"version", 2}}},
                                            {"contentChanges", Json::array({{{"text", kProgram}}})}});
  session.notify("textDocument/didClose", {{"textDocument", {{"uri", Session::kUri}}}});
  const int gone = session.at("textDocument/hover", 0, 0);
  session.run();
  const std::vector<Json> published = session.sent("textDocument/publishDiagnostics");
  REQUIRE(published.size() >= 3);
  CHECK_FALSE(published[0].at("diagnostics").empty());
  CHECK(published.back().at("diagnostics").empty());
  CHECK(session.result(gone).at("code") == -32602);
}

TEST_CASE("Clients that can refresh keep the hints of the last text, and are told about new ones") {
  Session session;
  session.initialize(
      {{"device", "tpu_v5e"}},
      {{"workspace", {{"inlayHint", {{"refreshSupport", true}}}, {"codeLens", {{"refreshSupport", true}}}}}});
  session.open(std::string(kProgram));
  session.change(range_of(9, 0, 0), "\n", 2);
  session.run();
  std::size_t refreshes = 0;
  for (const Json& message : session.received) {
    if (string_at(message, {"method"}) == "workspace/inlayHint/refresh") ++refreshes;
  }
  CHECK(refreshes == 2);
}

TEST_CASE("A device that is chosen while the text has errors is that of the last text without") {
  Session session;
  session.initialize();
  session.open(std::string(kProgram));
  session.change(range_of(5, 34, 35), "nowhere", 2);
  session.request("workspace/executeCommand",
                  {{"command", "hloroof.setDevice"}, {"arguments", Json::array({"tpu_v6e"})}});
  const int lenses = session.about("textDocument/codeLens");
  session.run();
  CHECK_THAT(json_text(session.result(lenses)), ContainsSubstring("on tpu_v6e"));
}
