#include "lib/fronts/lsp/lines.h"

#include <random>
#include <string>

#include "tests/catch.h"

using namespace hloroof::internal;

namespace {

const std::string kText =
    "ab\r\nc\xc3\xa9"
    "d\rx\xf0\x9f\x98\x80y\n\n";  // ab, c e-acute d, x emoji y, two empty lines

}  // namespace

TEST_CASE("Positions count UTF-16 units or bytes") {
  const Lines lines(kText);
  REQUIRE(lines.count() == 5);
  struct Case {
    std::size_t offset;
    std::size_t line;
    std::size_t utf16;
    std::size_t utf8;
  };
  const Case cases[] = {{0, 0, 0, 0}, {2, 0, 2, 2},  {4, 1, 0, 0},  {5, 1, 1, 1},  {7, 1, 2, 3},  {8, 1, 3, 4},
                        {9, 2, 0, 0}, {10, 2, 1, 1}, {14, 2, 3, 5}, {15, 2, 4, 6}, {16, 3, 0, 0}, {17, 4, 0, 0}};
  for (const Case& c : cases) {
    CAPTURE(c.offset);
    const Position utf16 = lines.position(kText, c.offset, PositionUnit::kUtf16);
    const Position utf8 = lines.position(kText, c.offset, PositionUnit::kUtf8);
    CHECK(utf16.line == c.line);
    CHECK(utf16.character == c.utf16);
    CHECK(utf8.character == c.utf8);
    CHECK(lines.offset(kText, utf16, PositionUnit::kUtf16) == c.offset);
    CHECK(lines.offset(kText, utf8, PositionUnit::kUtf8) == c.offset);
  }
}

TEST_CASE("Positions outside of the text are its nearest ones") {
  const Lines lines(kText);
  CHECK(lines.offset(kText, {0, 99}, PositionUnit::kUtf16) == 2);
  CHECK(lines.offset(kText, {99, 0}, PositionUnit::kUtf16) == kText.size());
  CHECK(lines.offset(kText, {2, 2}, PositionUnit::kUtf16) == 10);  // between the halves of a surrogate pair
  CHECK(lines.position(kText, 9999, PositionUnit::kUtf8).line == 4);
  CHECK(read_position(Json{{"line", -5}, {"character", "x"}}).line == 0);
}

TEST_CASE("Lines after an edit are those of the new text") {
  std::mt19937 random(7);
  const std::string pieces[] = {"\n", "\r", "\r\n", "a", "bc", ""};
  std::string text;
  Lines lines(text);
  for (int i = 0; i < 5000; ++i) {
    const std::size_t begin = random() % (text.size() + 1);
    const std::size_t removed = random() % (std::min<std::size_t>(text.size() - begin, 4) + 1);
    std::string added;
    for (unsigned n = random() % 4; n > 0; --n) added += pieces[random() % std::size(pieces)];
    if (text.size() > 60) added.clear();
    text.replace(begin, removed, added);
    lines.replace(text, begin, removed, added.size());
    const Lines fresh(text);
    CAPTURE(text);
    REQUIRE(lines.count() == fresh.count());
    for (std::size_t line = 0; line < fresh.count(); ++line) REQUIRE(lines.begin(line) == fresh.begin(line));
  }
}
