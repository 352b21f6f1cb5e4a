#include "lib/fronts/mcp/excerpt.h"

#include <algorithm>

#include "lib/base/units.h"

namespace hloroof::internal::inline mcp {
namespace {

// `end` moved back to the beginning of the UTF-8 character that it is in.
std::size_t character_begin(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) --begin;
  return begin;
}

std::size_t line_count(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string number(std::size_t value) { return format_integer(static_cast<double>(value)); }

}  // namespace

std::string excerpt(std::string_view text, const ExcerptOptions& options) {
  const std::size_t lines = line_count(text);
  const std::size_t first = std::max<std::size_t>(1, options.first_line);
  if (first == 1 && text.size() <= options.max_bytes) return std::string(text);
  if (first > lines)
    return "[there are " + number(lines) + " lines; first_line=" + number(first) + " is behind them]\n";
  std::size_t begin = 0;
  for (std::size_t line = 1; line < first; ++line) begin = text.find('\n', begin) + 1;
  std::string_view shown = text.substr(begin);
  const bool is_cut = shown.size() > options.max_bytes;
  bool is_line_cut = false;
  if (is_cut) {
    shown = shown.substr(0, options.max_bytes);
    const std::size_t end = shown.rfind('\n');
    is_line_cut = end == std::string_view::npos;
    shown = shown.substr(0, is_line_cut ? character_begin(text.substr(begin), shown.size()) : end + 1);
  }
  const std::size_t last = first + line_count(shown) - 1;
  std::string out(shown);
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += "[lines " + number(first) + " to " + number(last) + " of " + number(lines);
  if (is_line_cut) out += ", the last one cut";
  if (is_cut && last < lines) out += "; first_line=" + std::to_string(last + 1) + " has the next";
  if (is_cut) out += "; max_chars=" + std::to_string(text.size() - begin) + " has all";
  return out + "]\n";
}

}  // namespace hloroof::internal::inline mcp
