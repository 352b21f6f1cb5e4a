// Text tables. Each column is as wide as its widest cell; the last column is cut so that the line fits.
#ifndef HLOROOF_LIB_REPORT_TABLE_H_
#define HLOROOF_LIB_REPORT_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  std::size_t max_width = 0;  // longer cells are cut in the middle; 0: unlimited
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Each line begins with `indent` spaces, has two spaces between columns and no trailing spaces. If a line would be
  // longer than `width`, the widest column of unlimited width is narrowed first, then any text column. A `width` of 0
  // means unlimited.
  std::string to_string(std::size_t width, std::size_t indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The number of characters of UTF-8 text.
std::size_t display_width(std::string_view text);

// Shortens `text` to at most `width` characters. Replaces the middle by ".." because the beginning and the final number
// identify a name.
std::string shorten(std::string_view text, std::size_t width);

// Breaks `text` at blanks into lines of at most `width`. Each line but the first begins with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_TABLE_H_
