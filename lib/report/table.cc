#include "lib/report/table.h"

#include <algorithm>

namespace hloroof::internal {
namespace {

// Minimum widths of a narrowed column: first, while other columns can still be narrowed, and finally.
constexpr std::size_t kReadableWidth = 12;
constexpr std::size_t kLeastWidth = 8;

// Whether the byte is not a continuation of a character in UTF-8.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 4) return std::string(text.substr(0, width));
  std::size_t head = (width - 2) / 2;
  std::size_t tail = text.size() - (width - 2 - head);
  while (head > 0 && !begins_character(text[head])) --head;
  while (tail < text.size() && !begins_character(text[tail])) ++tail;
  return std::string(text.substr(0, head)) + ".." + std::string(text.substr(tail));
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  if (width == 0) width = text.size() + indent;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, blank - at);
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    // A word longer than a line (a path, an op_name) continues on the next line, broken after a slash or comma if
    // possible.
    while (width > indent + 8 && column + word.size() > width) {
      std::size_t fits = width - column;
      const std::size_t good = word.substr(0, fits).find_last_of("/,");
      if (good != std::string_view::npos && good > fits / 2) fits = good + 1;
      out += word.substr(0, fits);
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      word.remove_prefix(fits);
    }
    out += word;
    column += word.size();
    at = blank + 1;
  }
  return out;
}

std::string Table::to_string(std::size_t width, std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths[c] = columns_[c].title.size();
    for (const auto& row : rows_) {
      if (c < row.size()) widths[c] = std::max(widths[c], display_width(row[c]));
    }
    if (columns_[c].max_width > 0)
      widths[c] = std::min(widths[c], std::max(columns_[c].max_width, columns_[c].title.size()));
  }
  if (width > 0 && !columns_.empty()) {
    std::size_t total = indent + 2 * (columns_.size() - 1);
    for (std::size_t w : widths) total += w;
    // Narrows columns of unlimited width first, the widest by the full excess. Then narrows all text columns step by
    // step.
    for (const bool unlimited : {true, false}) {
      const std::size_t least = unlimited ? kReadableWidth : kLeastWidth;
      while (total > width) {
        std::size_t widest = columns_.size();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
          const bool may_shrink = columns_[c].align == Align::kLeft && (columns_[c].max_width == 0 || !unlimited);
          if (may_shrink && (widest == columns_.size() || widths[c] > widths[widest])) widest = c;
        }
        if (widest == columns_.size() || widths[widest] <= least) break;
        const std::size_t cut = unlimited ? std::min(total - width, widths[widest] - least) : 1;
        widths[widest] -= cut;
        total -= cut;
      }
    }
  }

  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {  // cells beyond the columns are omitted
      const std::string cell = shorten(cell_of(c), widths[c]);
      const std::string pad(widths[c] - std::min(widths[c], display_width(cell)), ' ');
      text += columns_[c].align == Align::kRight ? pad + cell : cell + pad;
      if (c + 1 < columns_.size()) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) -> std::string_view { return columns_[c].title; });
  for (const auto& row : rows_) {
    line([&](std::size_t c) -> std::string_view {
      return c < row.size() ? std::string_view(row[c]) : std::string_view();
    });
  }
  return out;
}

}  // namespace hloroof::internal
