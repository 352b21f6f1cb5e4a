// Text tables: columns as wide as their widest cell, the last one cut so that a line fits.
#ifndef HLOROOF_LIB_REPORT_TABLE_H_
#define HLOROOF_LIB_REPORT_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hloroof::inline v0 {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  std::size_t max_width = 0;  // longer cells are cut in the middle; 0: any width
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Each line begins with `indent` spaces, has two between columns and none at its end. The widest column of unlimited
  // width gives way if a line would be longer than `width`, then any of words; 0 means any length.
  std::string to_string(std::size_t width, std::size_t indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` in at most `width` characters: the middle becomes "..", since names tell by their beginnings and their
// numbers.
std::string shorten(std::string_view text, std::size_t width);

// `text` broken at blanks into lines of at most `width`, each but the first begun with `indent` spaces.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_TABLE_H_
