#include <algorithm>
#include <filesystem>
#include <fstream>

#include "lib/base/strings.h"
#include "tests/lsp/session.h"
#include "tests/paths.h"

using namespace hloroof::internal;

namespace {

// The position of the `nth` occurrence of `what` in the program, `into` bytes after its beginning, in UTF-16.
Position place_of(std::string_view what, int nth = 0, std::size_t into = 1) {
  std::size_t at = kProgram.find(what);
  for (; nth > 0; --nth) at = kProgram.find(what, at + 1);
  REQUIRE(at != std::string_view::npos);
  return Lines(kProgram).position(kProgram, at + into, PositionUnit::kUtf16);
}

// "line:begin-end" of a range on one line.
std::string short_range(const Json& range) {
  const Position start = read_position(range.at("start"));
  const Position end = read_position(range.at("end"));
  CHECK(start.line == end.line);
  return std::to_string(start.line) + ":" + std::to_string(start.character) + "-" + std::to_string(end.character);
}

std::vector<std::string> ranges_of(const Json& places) {
  std::vector<std::string> ranges;
  for (const Json& place : places) ranges.insert(ranges.end(), short_range(place.at("range")));
  return ranges;
}

std::vector<std::string> members_of(const Json& list, const char* key) {
  std::vector<std::string> values;
  for (const Json& item : list) values.insert(values.end(), item.at(key).get<std::string>());
  return values;
}

// A session in which the program is open. `ask` sends requests before it ends.
struct Opened : Session {
  explicit Opened(Json options = {{"device", "tpu_v5e"}}, Json capabilities = Json::object()) {
    initialize(std::move(options), std::move(capabilities), source_path());
    open(std::string(kProgram));
  }
  int ask(std::string_view method, const Position& position, Json more = Json::object()) {
    return at(method, position.line, position.character, std::move(more));
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Hovers explain ops, shapes, attributes and computations") {
  struct Case {
    std::string_view what;
    int nth;
    std::vector<std::string> says;  // empty: no hover
  };
  const Case cases[] = {
      {"dot.1",
       0,
       {"**dot.1**", "2048 x 2048", "8x128 tiles", "bound by mxu", "in the step", "jit(f)/", "session.h:3"}},
      {"dot(%a", 0, {"**dot.1**"}},
      {"dot.1", 1, {"**dot.1**", "bound by mxu"}},  // where it is used
      {"f32[2048,2048]", 0, {"dimension 1 (2048)", "16,777,216 padded"}},
      {"{0:T(1024)}", 0, {"**f32[2048]{0:T(1024)}**"}},
      {"lhs_contracting_dims", 0, {"summed over", "{1}"}},
      {"is_scheduled", 0, {"order of execution", "true"}},
      {"source_line", 0, {"the user's program", "op_name="}},
      {"sum", 1, {"**sum**", "3 instructions", "runs 1 times"}},
      {"sum (", 0, {"**sum**"}},
      {"\n\n", 0, {}},
      {" = ", 0, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    Opened session;
    const int id = session.ask("textDocument/hover", place_of(c.what, c.nth));
    session.run();
    const Json result = session.result(id);
    CHECK(result.is_null() == c.says.empty());
    if (result.is_null()) continue;
    for (const std::string& text : c.says) {
      CHECK_THAT(result.at("contents").at("value").get<std::string>(), ContainsSubstring(text));
    }
  }
}

TEST_CASE("A hover without a device has the shape and says what to do") {
  Opened session(Json::object());
  const int id = session.ask("textDocument/hover", place_of("dot.1"));
  session.run();
  const std::string text = session.result(id).at("contents").at("value");
  CHECK_THAT(text, ContainsSubstring("2048 x 2048"));
  CHECK_THAT(text, ContainsSubstring("choose a device"));
}

TEST_CASE("The value of an attribute ends at its end, quotes in its strings or not") {
  Session session;
  session.initialize();
  session.open(R"(HloModule m
ENTRY e {
  ROOT p = f32[8] parameter(0), metadata={op_name="a\"},b"}, sharding={replicated}
})");
  const int id = session.at("textDocument/hover", 2, 36);  // in op_name
  session.run();
  const std::string text = session.result(id).at("contents").at("value");
  CHECK_THAT(text, ContainsSubstring(R"(op_name="a\"},b"})"));
  CHECK_THAT(text, !ContainsSubstring("replicated"));
}

TEST_CASE("Definitions, references and the end of a transfer") {
  struct Case {
    std::string_view method;
    std::string_view what;
    int nth;
    Texts ranges;
  };
  const Case cases[] = {
      {"definition", "%dot.1", 1, {"12:3-8"}},
      {"definition", "%sum", 1, {"2:1-4"}},
      {"definition", "%copy-start", 1, {"11:3-13"}},
      {"definition", "%copy-start", 0, {"13:3-12"}},  // a start leads to its done
      {"definition", "%copy-done", 0, {"13:3-12"}},
      {"definition", "parameter", 0, {}},
      {"references", "%dot.1", 0, {"12:3-8", "15:46-51"}},
      {"references", "%x", 0, {"3:3-4", "5:34-35"}},
      {"references", "%sum", 0, {"2:1-4", "15:87-90"}},
      {"documentHighlight", "%y", 0, {"4:3-4", "5:38-39"}},
      {"references", "f32", 0, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.method, c.what, c.nth);
    Opened session;
    const int id = session.ask("textDocument/" + std::string(c.method), place_of(c.what, c.nth));
    session.run();
    Json result = session.result(id);
    if (result.is_object()) result = Json::array({result});
    CHECK(ranges_of(result.is_null() ? Json::array() : result) == c.ranges);
  }
}

TEST_CASE("The metadata leads to the line of the user's program") {
  Opened session;
  const int inside = session.ask("textDocument/definition", place_of("op_name"));
  const int anywhere = session.ask("textDocument/implementation", place_of("dot(%a"));
  const int without = session.ask("textDocument/implementation", place_of("reduce("));
  session.run();
  for (const int id : {inside, anywhere}) {
    CHECK(path_of_uri(session.result(id).at("uri").get<std::string>()) == source_path("tests/lsp/session.h"));
    CHECK(session.result(id).at("range").at("start").at("line") == 2);
  }
  CHECK(session.result(without).is_null());
}

TEST_CASE("A source file that is gone is an error of the request") {
  std::string program(kProgram);
  program.replace(program.find("tests/lsp/session.h"), 19, "tests/lsp/vanished.");
  Session session;
  session.initialize();
  session.open(program);
  const Position position = place_of("dot(%a");
  const int id = session.at("textDocument/implementation", position.line, position.character);
  session.run();
  CHECK(session.result(id).at("code") == -32803);
  CHECK_THAT(session.result(id).at("message").get<std::string>(),
             ContainsSubstring("tests/lsp/vanished. is not on this machine"));
}

TEST_CASE("A rename edits all places of one scope") {
  struct Case {
    std::string_view what;
    std::string_view name;
    Texts ranges;  // empty: refused
  };
  const Case cases[] = {
      {"%dot.1", "product", {"12:3-8", "15:46-51"}},
      {"%sum", "%total", {"2:1-4", "15:87-90"}},
      {"%x", "a", {"3:3-4", "5:34-35"}},  // taken only in another computation
      {"%dot.1", "zero", {}},
      {"%dot.1", "1x", {}},
      {"%dot.1", "", {}},
      {"%dot.1", "bf16", {}},
      {"%sum", "main", {}},
      {"parameter", "p", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what, c.name);
    Opened session;
    const int can = session.ask("textDocument/prepareRename", place_of(c.what));
    const int id = session.ask("textDocument/rename", place_of(c.what), {{"newName", c.name}});
    session.run();
    const Json result = session.result(id);
    if (c.ranges.empty()) {
      CHECK(result.at("code") == -32602);
      continue;
    }
    CHECK(session.result(can).at("placeholder") == c.what.substr(1));
    const Json& edits = result.at("changes").at(Session::kUri);
    CHECK(ranges_of(edits) == c.ranges);
    for (const Json& edit : edits) CHECK(edit.at("newText") == (c.name[0] == '%' ? c.name.substr(1) : c.name));
  }
}

TEST_CASE("Hints have the time and the share of the ops above the threshold") {
  for (const double share : {0.005, 0.9}) {
    CAPTURE(share);
    Opened session(Json{{"device", "tpu_v5e"}, {"inlayHints", {{"minimumShare", share}}}});
    const int all = session.about("textDocument/inlayHint");
    const int some = session.about(
        "textDocument/inlayHint",
        {{"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 6}, {"character", 0}}}}}});
    session.run();
    const Json hints = session.result(all);
    REQUIRE(hints.size() == (share < 0.5 ? 2 : 0));
    CHECK(session.result(some).empty());
    if (hints.empty()) continue;
    CHECK(json_text(hints[0].at("position")) == R"({"character":8,"line":12})");
    CHECK_THAT(hints[0].at("label").get<std::string>(), ContainsSubstring(" us, ") && ContainsSubstring(" %"));
    CHECK_THAT(hints[0].at("tooltip").get<std::string>(), ContainsSubstring("bound by mxu"));
  }
}

TEST_CASE("Lenses have the step and the time and runs of computations") {
  Opened session;
  const int id = session.about("textDocument/codeLens");
  session.run();
  const Json lenses = session.result(id);
  REQUIRE(lenses.size() == 4);
  CHECK_THAT(lenses[0].at("command").at("title").get<std::string>(), ContainsSubstring("on tpu_v5e 1x1, bound by mxu"));
  CHECK(lenses[0].at("command").at("command") == "hloroof.chooseDevice");
  CHECK(lenses[1].at("command").at("command") == "hloroof.report");
  CHECK(ranges_of(lenses)[3].substr(0, 2) == "8:");
  CHECK_THAT(lenses[3].at("command").at("title").get<std::string>(), ContainsSubstring("100.0 % of the step"));
}

TEST_CASE("Without times a lens says why") {
  const auto title = [](const char* device, const std::string& text) {
    Session session;
    session.initialize({{"device", device}});
    session.open(text);
    const int id = session.about("textDocument/codeLens");
    session.run();
    const Json lenses = session.result(id);
    REQUIRE(lenses.size() == 1);
    return lenses[0].at("command").at("title").get<std::string>();
  };
  const std::string program(kProgram);
  CHECK(title("", program) == "choose a device to see times");
  CHECK(title("tpu_v5e", "HloModule m\nENTRY e {") == "no times: the text has errors");
  CHECK_THAT(title("tpu_v99", program), Catch::Matchers::StartsWith("no times: ") && ContainsSubstring("tpu_v99"));
}

TEST_CASE("Symbols and folds follow the computations") {
  Opened session;
  const int symbols = session.about("textDocument/documentSymbol");
  const int folds = session.about("textDocument/foldingRange");
  session.run();
  const Json result = session.result(symbols);
  CHECK(members_of(result, "name") == Texts{"sum", "main"});
  CHECK(members_of(result[0].at("children"), "name") == Texts{"x", "y", "add"});
  CHECK(json_text(session.result(folds)) ==
        R"([{"endLine":5,"kind":"region","startLine":2},{"endLine":15,"kind":"region","startLine":8}])");
}

TEST_CASE("Completions fit their place") {
  struct Case {
    std::string_view what;  // the text ends after it
    Texts has;
    Texts lacks;
  };
  const Case cases[] = {
      {"dot(%a, %", {"a", "b", "copy-start"}, {"dot.1", "zero", "x"}},
      {"dot(%a, %b), lhs", {"lhs_contracting_dims", "lhs_batch_dims"}, {"rhs_batch_dims", "calls"}},
      {"f32[2048,2048]{1,0:T(8,128)} dot", {"dot"}, {"add"}},
      {"to_apply=%", {"sum", "main"}, {"dot.1"}},
      {"dimensions={", {}, {"sum"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    Opened session;
    const int id = session.ask("textDocument/completion", place_of(c.what, 0, c.what.size()));
    session.run();
    const Json result = session.result(id);
    const Texts labels = members_of(result.at("items"), "label");
    for (const std::string& label : c.has) CHECK(std::count(labels.begin(), labels.end(), label) == 1);
    for (const std::string& label : c.lacks) CHECK(std::count(labels.begin(), labels.end(), label) == 0);
  }
}

TEST_CASE("Semantic tokens come whole, as a range and as changes") {
  Opened session;
  const int full = session.about("textDocument/semanticTokens/full");
  const int line = session.about(
      "textDocument/semanticTokens/range",
      {{"range", {{"start", {{"line", 5}, {"character", 0}}}, {"end", {{"line", 6}, {"character", 0}}}}}});
  session.change({{"start", {{"line", 5}, {"character", 34}}}, {"end", {{"line", 5}, {"character", 35}}}}, "xy", 2);
  const int delta = session.about("textDocument/semanticTokens/full/delta", {{"previousResultId", "1"}});
  const int again = session.about("textDocument/semanticTokens/full/delta", {{"previousResultId", "2"}});
  const int stale = session.about("textDocument/semanticTokens/full/delta", {{"previousResultId", "gone"}});
  session.run();
  // ROOT %add = f32[]{:T(128)} add(%x, %y): keyword, name, type, dimensions, layout, opcode, two operands.
  CHECK(json_text(session.result(line).at("data")) ==
        "[5,2,4,0,0,0,6,3,1,1,0,6,3,2,0,0,3,2,3,0,0,2,9,4,0,0,10,3,5,0,0,5,1,6,0,0,4,1,6,0]");
  std::vector<std::uint32_t> tokens = session.result(full).at("data");
  CHECK(tokens.size() % 5 == 0);
  const Json edits = session.result(delta).at("edits");
  REQUIRE(edits.size() == 1);
  const auto start = edits[0].at("start").get<std::ptrdiff_t>();
  const std::vector<std::uint32_t> data = edits[0].at("data");
  CHECK(data.size() < 10);
  tokens.erase(tokens.begin() + start, tokens.begin() + start + edits[0].at("deleteCount").get<std::ptrdiff_t>());
  tokens.insert(tokens.begin() + start, data.begin(), data.end());
  CHECK(session.result(again).at("edits").empty());
  CHECK(session.result(stale).at("data").get<std::vector<std::uint32_t>>() == tokens);
}

TEST_CASE("Findings of lint are diagnostics, with the severities that the user asks for") {
  std::ifstream file(source_path("examples/narrow_heads.v5e.hlo"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  for (const std::string severity : {"info", "error"}) {
    CAPTURE(severity);
    Session session;
    session.initialize({{"device", "tpu_v5e"}, {"lint", {{"minimumSeverity", severity}}}});
    session.open(text);
    session.run();
    const std::vector<Json> published = session.sent("textDocument/publishDiagnostics");
    REQUIRE(published.size() == 2);  // the text at once, the prediction later
    CHECK(published[0].at("diagnostics").empty());
    CHECK(published[1].at("diagnostics").empty() == (severity == "error"));
    for (const Json& one : published[1].at("diagnostics")) {
      const Position start = read_position(one.at("range").at("start"));
      const Lines lines(text);
      const std::size_t offset = lines.offset(text, start, PositionUnit::kUtf16);
      const bool is_at_op = offset > 0 && text[offset - 1] == '%';
      CHECK((is_at_op || start.line == 0));
      CHECK_THAT(one.at("message").get<std::string>(), !ContainsSubstring("\033"));
    }
  }
}

TEST_CASE("A device that does not exist is said on the first line") {
  Opened session(Json{{"device", "tpu_v99"}});
  session.run();
  const Json list = session.sent("textDocument/publishDiagnostics").back().at("diagnostics");
  REQUIRE(list.size() == 1);
  CHECK(list[0].at("code") == "not-predicted");
  CHECK(short_range(list[0].at("range")) == "0:0-9");
}

TEST_CASE("Commands choose the device and open the report") {
  Opened session(Json::object(), {{"window", {{"showDocument", {{"support", true}}}}}});
  const int early = session.request("workspace/executeCommand", {{"command", "hloroof.report"}});
  session.request("workspace/executeCommand", {{"command", "hloroof.chooseDevice"}});
  session.answer(1, {{"title", "tpu_v5e"}});
  const int lens = session.about("textDocument/codeLens");
  const int set = session.request("workspace/executeCommand",
                                  {{"command", "hloroof.setDevice"}, {"arguments", Json::array({"tpu_v6e", "2x2"})}});
  const int lens2 = session.about("textDocument/codeLens");
  const int bad = session.request("workspace/executeCommand",
                                  {{"command", "hloroof.setDevice"}, {"arguments", Json::array({"tpu_v99"})}});
  const int report = session.request("workspace/executeCommand",
                                     {{"command", "hloroof.report"}, {"arguments", Json::array({Session::kUri})}});
  const int devices = session.request("workspace/executeCommand", {{"command", "hloroof.devices"}});
  const int none = session.request("workspace/executeCommand", {{"command", "rm"}});
  session.run();
  CHECK(session.result(early).at("code") == -32803);
  CHECK(session.sent("window/showMessageRequest").size() == 1);
  CHECK_THAT(json_text(session.result(lens)), ContainsSubstring("on tpu_v5e 1x1"));
  CHECK(session.result(set).is_null());
  CHECK_THAT(json_text(session.result(lens2)), ContainsSubstring("on tpu_v6e 2x2"));
  CHECK(session.result(bad).at("code") == -32803);
  CHECK(session.result(devices).size() > 20);
  CHECK(session.result(none).at("code") == -32602);
  const std::string page = path_of_uri(session.result(report).at("uri").get<std::string>());
  CHECK(session.sent("window/showDocument").size() == 1);
  std::ifstream file(page);
  std::string first;
  std::getline(file, first);
  CHECK(first == "<!DOCTYPE html>");
  std::filesystem::remove(page);
}
