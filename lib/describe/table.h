// Tables for people, as aligned text and as Markdown.
#ifndef HLOROOF_LIB_DESCRIBE_TABLE_H_
#define HLOROOF_LIB_DESCRIBE_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::internal::inline describe {

class ShortNames;

// How a report lays out its text.
struct TextLayout {
  std::size_t width = 80;  // of a line, unless a name is longer; 0: unlimited
  bool markdown = false;   // tables in GitHub's Markdown, which have no width
};

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  std::size_t max_width = 0;          // longer cells are cut in the middle; 0: unlimited
  std::size_t min_width = 0;          // names of instructions are narrowed before this column is below it
  bool is_whole = false;              // cells are never cut, such as names of files
  bool is_code = false;               // Markdown shows the cells as code, in which * and _ are characters
  const ShortNames* names = nullptr;  // the cells are names of instructions, which are cut last and with this object
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // As text, each line begins with `indent` spaces, has two spaces between columns and no trailing spaces. If a line
  // would be longer than the layout's width, the widest text columns of unlimited width are narrowed first, then those
  // of limited width, then names, then whatever may be cut. As Markdown, there is a blank line before the table.
  std::string to_string(const TextLayout& layout, std::size_t indent = 2) const;

  // The length of the longest line if nothing is cut.
  std::size_t natural_width(std::size_t indent = 2) const;

 private:
  std::vector<std::size_t> natural_widths() const;
  void narrow(std::size_t excess, std::vector<std::size_t>& widths) const;
  std::string cut(std::size_t column, const std::string& cell, std::size_t width) const;
  std::string to_markdown() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Text with an alignment of its own, which Markdown keeps in a code block.
std::string preformatted(std::string text, const TextLayout& layout);

// The number of characters of UTF-8 text.
std::size_t display_width(std::string_view text);

// Shortens `text` to at most `width` characters. Replaces the middle by ".." because the beginning and the final number
// identify a name.
std::string shorten(std::string_view text, std::size_t width);

// Breaks `text` at blanks into lines of at most `width`. Each line but the first begins with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// A sentence of a report as a line of its own, or as several: indented, or an item of a list in Markdown.
std::string list_line(std::string_view text, const TextLayout& layout);

// "+3.4 %" or "-3.4 %": by how much `after` differs from `before`. Empty if it does not, or if `before` is not
// positive.
std::string format_relative_change(double before, double after);

}  // namespace hloroof::internal::inline describe

#endif  // HLOROOF_LIB_DESCRIBE_TABLE_H_
