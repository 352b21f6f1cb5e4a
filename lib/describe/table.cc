#include "lib/describe/table.h"

#include <algorithm>
#include <cmath>

#include "lib/base/units.h"
#include "lib/describe/short_names.h"

namespace hloroof::internal::inline describe {
namespace {

// Minimum widths of a narrowed column: first, while other columns can still be narrowed, and finally.
constexpr std::size_t kReadableWidth = 12;
constexpr std::size_t kReadableName = 20;
constexpr std::size_t kLeastWidth = 8;

// Whether the byte is not a continuation of a character in UTF-8.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// A cell of a Markdown table. Code keeps the characters of names; leading blanks are an indentation.
std::string markdown_cell(std::string_view text, bool is_code) {
  std::string out;
  while (text.starts_with("  ")) {
    out += "&emsp;";
    text.remove_prefix(2);
  }
  if (text.empty()) return out;
  if (text == "TOTAL") return out + "**TOTAL**";
  is_code = is_code && text.front() != '[';  // [12 others]
  if (is_code) out += '`';
  for (const char c : text) {
    if (c == '|') out += '\\';  // ends a cell even in code
    out += is_code && c == '`' ? '\'' : c;
  }
  if (is_code) out += '`';
  return out;
}

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

std::string list_line(std::string_view text, const TextLayout& layout) {
  const std::size_t width = layout.width == 0 || layout.markdown ? 0 : std::max<std::size_t>(layout.width, 12) - 2;
  return (layout.markdown ? "- " : "  ") + wrap(text, width, 4) + "\n";
}

std::string format_relative_change(double before, double after) {
  if (before <= 0 || before == after) return "";
  return (after < before ? "-" : "+") + format_percent(std::abs(after - before) / before);
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

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    widths[c] = display_width(column.title);
    for (const auto& row : rows_) {
      if (c < row.size()) widths[c] = std::max(widths[c], display_width(row[c]));
    }
    if (column.max_width > 0) widths[c] = std::min(widths[c], std::max(column.max_width, display_width(column.title)));
  }
  return widths;
}

std::size_t Table::natural_width(std::size_t indent) const {
  std::size_t total = indent + 2 * (std::max<std::size_t>(columns_.size(), 1) - 1);
  for (const std::size_t width : natural_widths()) total += width;
  return total;
}

void Table::narrow(std::size_t excess, std::vector<std::size_t>& widths) const {
  enum class Kind { kText, kLimitedText, kName, kFixed };
  const auto kind_of = [](const Column& column) {
    if (column.is_whole || column.align == Align::kRight) return Kind::kFixed;
    if (column.names != nullptr) return Kind::kName;
    return column.max_width > 0 ? Kind::kLimitedText : Kind::kText;
  };
  // Narrows the widest columns for which `may_shrink` to no less than `least`, and to no less than their minimum.
  const auto shrink = [&](const auto& may_shrink, std::size_t least, bool ignores_minimum = false) {
    while (excess > 0) {
      std::size_t widest = columns_.size();
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const std::size_t to = ignores_minimum ? least : std::max(least, columns_[c].min_width);
        if (!may_shrink(kind_of(columns_[c])) || widths[c] <= to) continue;
        if (widest == columns_.size() || widths[c] > widths[widest]) widest = c;
      }
      if (widest == columns_.size()) return;
      --widths[widest];
      --excess;
    }
  };
  shrink([](Kind kind) { return kind == Kind::kText; }, kReadableWidth);
  shrink([](Kind kind) { return kind == Kind::kText || kind == Kind::kLimitedText; }, kReadableWidth);
  shrink([](Kind kind) { return kind == Kind::kName; }, kReadableName);
  shrink([](Kind kind) { return kind == Kind::kText || kind == Kind::kLimitedText; }, kReadableName, true);
  shrink([](Kind kind) { return kind != Kind::kFixed; }, kLeastWidth, true);
}

std::string Table::cut(std::size_t column, const std::string& cell, std::size_t width) const {
  const Column& of = columns_[column];
  if (of.is_whole || (of.align == Align::kRight && of.max_width == 0)) return cell;
  return of.names != nullptr ? of.names->shorten_cell(cell, width) : shorten(cell, width);
}

std::string Table::to_string(const TextLayout& layout, std::size_t indent) const {
  if (layout.markdown) return to_markdown();
  std::vector<std::size_t> widths = natural_widths();
  const std::size_t total = natural_width(indent);
  if (layout.width > 0 && total > layout.width) narrow(total - layout.width, widths);
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {  // cells beyond the columns are omitted
      const std::string cell = cut(c, cell_of(c), widths[c]);
      const std::string pad(widths[c] - std::min(widths[c], display_width(cell)), ' ');
      text += columns_[c].align == Align::kRight ? pad + cell : cell + pad;
      if (c + 1 < columns_.size()) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) {
    line([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); });
  }
  return out;
}

std::string Table::to_markdown() const {
  std::string out = "\n|";
  for (const Column& column : columns_) out += " " + markdown_cell(column.title, false) + " |";
  out += "\n|";
  for (const Column& column : columns_) out += column.align == Align::kRight ? "--:|" : "---|";
  out += "\n";
  for (const auto& row : rows_) {
    out += "|";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::size_t most = columns_[c].max_width;
      const std::string cell = c < row.size() ? row[c] : std::string();
      out += " " +
             markdown_cell(most > 0 ? cut(c, cell, most) : cell, columns_[c].is_code || columns_[c].names != nullptr) +
             " |";
    }
    out += "\n";
  }
  return out;
}

std::string preformatted(std::string text, const TextLayout& layout) {
  if (!layout.markdown) return text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  return "```text\n" + text + "```\n";
}

}  // namespace hloroof::internal::inline describe
