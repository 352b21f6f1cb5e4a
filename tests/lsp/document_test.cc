#include "lib/fronts/lsp/document.h"

#include <random>
#include <string>
#include <vector>

#include "lib/fronts/lsp/features.h"
#include "tests/dump.h"
#include "tests/lsp/session.h"

using namespace hloroof::internal;

namespace {

// "12:message note@15" for each error.
std::vector<std::string> described(const std::vector<TextError>& errors) {
  std::vector<std::string> all;
  for (const TextError& error : errors) {
    std::string text = std::to_string(error.offset) + ":" + error.message;
    for (const ErrorRecord& note : error.notes) text += " " + note.message + "@" + std::to_string(note.offset);
    all.push_back(text);
  }
  return all;
}

std::vector<std::string> described(const Outline& outline) {
  std::vector<std::string> all;
  for (const OutlineComputation& c : outline.computations()) {
    std::string text(outline.name(c));
    for (const std::size_t place : {c.name, c.begin, c.head_end, c.end, c.first, c.last}) {
      text += " " + std::to_string(place);
    }
    all.push_back(text);
  }
  for (const OutlineInstruction& i : outline.instructions()) {
    std::string text(outline.name(i));
    for (const std::size_t place : {i.name, i.begin, i.end, i.computation}) text += " " + std::to_string(place);
    all.push_back(text);
  }
  return all;
}

Json change_of(const Lines& lines, std::string_view text, std::size_t begin, std::size_t end, const std::string& with) {
  const auto at = [&](std::size_t offset) { return position_json(lines.position(text, offset, PositionUnit::kUtf8)); };
  return Json::array({{{"range", {{"start", at(begin)}, {"end", at(end)}}}, {"text", with}}});
}

// Makes `edits` random edits, and after each compares the document with a new one of the same text.
void edit_at_random(const std::string& text, int edits, unsigned seed) {
  Document document("file:///x.hlo", text, 0);
  const EditorSettings settings;
  const EditorView view{document, settings, PositionUnit::kUtf8};
  (void)document.errors();
  std::vector<std::uint32_t> tokens = all_semantic_tokens(view);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::vector<std::string> pieces = {"x",  "%",  "\"",  "{", "}",   "(",   ")",  "\n", "\n}\n", "/*",
                                           "*/", ", ", " = ", "1", "[4]", "f32", "%x", "//", "\r\n",  "calls=%x"};
  std::string before;
  std::size_t undo_at = 0;
  std::size_t undo_size = 0;
  for (int i = 0; i < edits; ++i) {
    const std::string_view now = document.text();
    std::size_t begin = below(now.size());
    std::size_t end = std::min(now.size(), begin + (below(3) == 0 ? below(40) : 0));
    std::string with = below(4) == 0 ? "" : pieces[below(pieces.size())];
    if (i % 2 == 1) {  // most edits are mended, so that the text is nearly right
      begin = undo_at;
      end = undo_at + undo_size;
      with = before;
    }
    before = std::string(now.substr(begin, end - begin));
    undo_at = begin;
    undo_size = with.size();
    CAPTURE(i, begin, end, with, before);
    document.edit(change_of(document.lines(), now, begin, end, with), i, PositionUnit::kUtf8);
    Document fresh("file:///x.hlo", std::string(document.text()), 0);
    REQUIRE(described(document.errors()) == described(fresh.errors()));
    REQUIRE(described(document.outline()) == described(fresh.outline()));
    if (below(3) == 0) continue;  // the tokens then follow two edits
    for (const Json& edit : changed_semantic_tokens(view)) {
      const auto start = tokens.begin() + edit.at("start").get<std::ptrdiff_t>();
      const std::vector<std::uint32_t> data = edit.at("data");
      const auto gap = tokens.erase(start, start + edit.at("deleteCount").get<std::ptrdiff_t>());
      tokens.insert(gap, data.begin(), data.end());
    }
    REQUIRE(tokens == all_semantic_tokens(EditorView{fresh, settings, PositionUnit::kUtf8}));
    if (below(50) == 0) i -= i % 2;  // and some are not
  }
}

}  // namespace

TEST_CASE("Errors, outline and tokens after an edit are those of the whole text") {
  edit_at_random(std::string(kProgram), 4000, 1);
}

TEST_CASE("Errors, outline and tokens after an edit of a dump are those of the whole text") {
  for (const char* name : {"y_default_while.hlo", "y_default_threads_and_unknown.hlo", "y_default_async_sugar.hlo",
                           "y_comments_and_cr.hlo", "y_nested_operands.hlo", "y_inline_bodies.hlo"}) {
    CAPTURE(name);
    edit_at_random(source_text(std::string("tests/corpus/") + name), 1000, 2);
  }
}

TEST_CASE("An error in one computation stays while another one is edited") {
  std::string text(kProgram);
  Document document("file:///x.hlo", text, 0);
  (void)document.outline();
  const auto put = [&](std::string_view where, const std::string& with) {
    const std::size_t at = document.text().find(where);
    document.edit(change_of(document.lines(), document.text(), at, at + where.size(), with), 0, PositionUnit::kUtf8);
  };
  put("add(%x, %y)", "add(%x, %nowhere)");
  REQUIRE(document.errors().size() == 1);
  put("dot(%a, %b)", "dot(%a, %bb)");
  REQUIRE(document.errors().size() == 2);
  put("%a = bf16", "%a  = bf16");
  CHECK(document.errors().size() == 2);
  put("dot(%a, %bb)", "dot(%a, %b)");
  REQUIRE(document.errors().size() == 1);
  CHECK(document.errors()[0].offset == document.text().find("%nowhere"));
  put("add(%x, %nowhere)", "add(%x, %y)");
  CHECK(document.errors().empty());
  REQUIRE(document.module() != nullptr);
  CHECK(document.module()->find("main", "dot.1"));
}
