// Tests the NUL after each input, and the mapping from offsets to lines and columns.
#include "lib/base/source_text.h"

#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

// A temporary file.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& suffix, const std::string& bytes)
      : path_("source_text_test." + std::to_string(getpid()) + suffix) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

TEST_CASE("a line for a terminal has no control characters") {
  const struct {
    std::string line;
    std::string shown;
  } cases[] = {{"a\tb\x1b[31m\x7f", "a b [31m "},
               {"\xff\xc3\xa9\xc3", "?\xc3\xa9?"},
               {"\xc2\x9b"
                "31m\xc2\xa0",
                "??31m\xc2\xa0"}};
  for (const auto& c : cases) {
    std::string line = c.line;
    make_printable(line);
    CHECK(line == c.shown);
  }
}

TEST_CASE("a copied text is followed by zero bytes") {
  const auto source = SourceText::copy("abc", "x.hlo");
  CHECK(source->view() == "abc");
  for (std::size_t i = 0; i < SourceText::kPadding; ++i) CHECK(source->end()[i] == '\0');
}

TEST_CASE("files of every size around a page are read completely and end in NUL") {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, page - 1, page, page + 1, 2 * page}) {
    const TemporaryFile file(".txt", std::string(size, 'x'));
    const auto source = SourceText::read(file.path(), kNoLimit);
    REQUIRE(source.ok());
    CHECK((*source)->view() == std::string(size, 'x'));
    CHECK(*(*source)->end() == '\0');
  }
}

TEST_CASE("a .gz file is decompressed, a damaged one is an error") {
  const std::string text(100000, 'h');
  const TemporaryFile file(".gz", "");
  gzFile zipped = gzopen(file.path().c_str(), "wb");
  REQUIRE(gzwrite(zipped, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  gzclose(zipped);
  const auto source = SourceText::read(file.path(), kNoLimit);
  REQUIRE(source.ok());
  CHECK((*source)->view() == text);

  const TemporaryFile renamed(".hlo", "");
  std::filesystem::copy_file(file.path(), renamed.path(), std::filesystem::copy_options::overwrite_existing);
  CHECK((*SourceText::read(renamed.path(), kNoLimit))->view() == text);

  std::ifstream in(file.path(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  bytes.resize(bytes.size() / 2);
  const TemporaryFile damaged(".2.gz", bytes);
  CHECK(SourceText::read(damaged.path(), kNoLimit).status().code() == absl::StatusCode::kDataLoss);
}

TEST_CASE("unreadable files are errors") {
  CHECK(SourceText::read("no/such/file", kNoLimit).status().code() == absl::StatusCode::kNotFound);
  CHECK(SourceText::read(".", kNoLimit).status().code() == absl::StatusCode::kFailedPrecondition);
  const TemporaryFile file(".txt", "12345");
  CHECK(SourceText::read(file.path(), 4).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("lines end at LF, CR LF and a lone CR") {
  const std::string text = "ab\ncd\r\nef\rgh";
  struct Row {
    std::size_t offset, line, column;
  };
  for (const Row row : {Row{0, 1, 1}, {1, 1, 2}, {3, 2, 1}, {7, 3, 1}, {10, 4, 1}, {11, 4, 2}, {99, 4, 3}}) {
    const LineColumn at = line_column(text, row.offset);
    INFO(row.offset);
    CHECK(at.line == row.line);
    CHECK(at.column == row.column);
  }
  CHECK(line_at(text, 4) == "cd");
  CHECK(line_at(text, 11) == "gh");
}

TEST_CASE("a message shows the line with a caret") {
  CHECK(located_message("a.hlo", "one\ntwo three\n", 8, "expected 'four'") ==
        "a.hlo:2:5: error: expected 'four'\n  two three\n      ^");
}

TEST_CASE("a message replaces bytes that a terminal cannot show") {
  CHECK(located_message("a", "\x1b[2J \xff \xc3\xa9 \xe2\x82", 4, "here") ==
        "a:1:5: error: here\n   [2J ? \xc3\xa9 ??\n      ^");
}

TEST_CASE("a message shows only a part of a long line, with the caret in place") {
  std::string text(100000, '.');
  text[50000] = '!';
  const std::string message = located_message("a", text, 50000, "here");
  CHECK(message.size() < 1000);
  const std::size_t line = message.find('\n') + 1;
  const std::size_t caret_line = message.find('\n', line) + 1;
  CHECK(message[line + (message.find('^') - caret_line)] == '!');
}

}  // namespace
}  // namespace hloroof::internal
