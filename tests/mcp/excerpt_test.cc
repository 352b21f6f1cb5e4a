#include "lib/fronts/mcp/excerpt.h"

#include <string>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("an excerpt has whole lines and says what is missing") {
  struct Case {
    std::string text;
    std::size_t first_line;
    std::size_t max_bytes;
    std::string expected;
  };
  const std::string abc = "a\nbb\nccc\n";
  const Case cases[] = {
      {abc, 1, 9, abc},
      {abc, 1, 100, abc},
      {abc, 1, 8, "a\nbb\n[lines 1 to 2 of 3; first_line=3 has the next; max_chars=9 has all]\n"},
      {abc, 1, 4, "a\n[lines 1 to 1 of 3; first_line=2 has the next; max_chars=9 has all]\n"},
      {abc, 2, 100, "bb\nccc\n[lines 2 to 3 of 3]\n"},
      {abc, 2, 3, "bb\n[lines 2 to 2 of 3; first_line=3 has the next; max_chars=7 has all]\n"},
      {abc, 3, 2, "cc\n[lines 3 to 3 of 3, the last one cut; max_chars=4 has all]\n"},
      {abc, 4, 100, "[there are 3 lines; first_line=4 is behind them]\n"},
      {"", 1, 100, ""},
      {"", 2, 100, "[there are 0 lines; first_line=2 is behind them]\n"},
      {"no end", 1, 100, "no end"},
      {"no end\nx", 2, 100, "x\n[lines 2 to 2 of 2]\n"},
      {"\xc3\xa4\xc3\xa4", 1, 3, "\xc3\xa4\n[lines 1 to 1 of 1, the last one cut; max_chars=4 has all]\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text, c.first_line, c.max_bytes);
    CHECK(excerpt(c.text, {c.first_line, c.max_bytes}) == c.expected);
  }
}

TEST_CASE("the parts that excerpts name make up the whole text") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::string(static_cast<std::size_t>(i % 37), 'x') + "\n";
  std::string whole;
  std::size_t line = 1;
  int parts = 0;
  while (true) {
    std::string part = excerpt(text, {line, 200});
    const std::size_t note = part.rfind('[');
    REQUIRE(note != std::string::npos);
    whole += part.substr(0, note);
    ++parts;
    const std::size_t next = part.find("first_line=", note);
    if (next == std::string::npos) break;
    line = std::stoul(part.substr(next + 11));
  }
  CHECK(whole == text);
  CHECK(parts > 10);
}

}  // namespace
}  // namespace hloroof::internal
