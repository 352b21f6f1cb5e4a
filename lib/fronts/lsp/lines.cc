#include "lib/fronts/lsp/lines.h"

#include <algorithm>

#include "lib/base/utf.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline lsp {
namespace {

// Appends the beginnings of the lines that follow the line ends in [begin, end) of `text`.
void find_lines(std::string_view text, std::size_t begin, std::size_t end, std::vector<std::size_t>& begins) {
  const char* const last = text.data() + end;
  for (const char* p = find_first_of<'\n', '\r'>(text.data() + begin, last); p < last;
       p = find_first_of<'\n', '\r'>(p, last)) {
    const bool is_pair = *p == '\r' && p + 1 < text.data() + text.size() && p[1] == '\n';
    ++p;
    if (!is_pair) begins.insert(begins.end(), static_cast<std::size_t>(p - text.data()));
  }
}

// The bytes of the character at `i`, of which there is at least one, and its units of UTF-16.
std::size_t character_size(std::string_view text, std::size_t i, std::size_t* units) {
  const std::size_t size = std::max<std::size_t>(utf8_length(text, i), 1);
  *units = size == 4 ? 2 : 1;
  return size;
}

}  // namespace

Lines::Lines(std::string_view text) {
  begins_.push_back(0);
  find_lines(text, 0, text.size(), begins_);
}

void Lines::replace(std::string_view text, std::size_t offset, std::size_t removed, std::size_t added) {
  // A CR before the edit may have become or ceased to be a part of CR LF, and so may a CR at its end.
  const std::size_t from = offset > 0 ? offset - 1 : 0;
  const auto first = std::upper_bound(begins_.begin() + 1, begins_.end(), from);
  const auto last = std::upper_bound(first, begins_.end(), offset + removed + 1);
  std::vector<std::size_t> changed;
  find_lines(text, from, std::min(offset + added + 1, text.size()), changed);
  for (auto at = last; at != begins_.end(); ++at) *at = *at - removed + added;
  const auto at = begins_.erase(first, last);
  begins_.insert(at, changed.begin(), changed.end());
}

std::size_t Lines::end(std::string_view text, std::size_t line) const {
  std::size_t end = line + 1 < begins_.size() ? begins_[line + 1] : text.size();
  while (end > begins_[line] && (text[end - 1] == '\n' || text[end - 1] == '\r')) --end;
  return end;
}

std::size_t Lines::line_of(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin()) - 1;
}

Position Lines::position(std::string_view text, std::size_t offset, PositionUnit unit) const {
  const std::size_t line = line_of(std::min(offset, text.size()));
  const std::size_t begin = begins_[line];
  return {line, count_units(text.substr(begin, std::min(offset, text.size()) - begin), unit)};
}

std::size_t Lines::offset(std::string_view text, const Position& position, PositionUnit unit) const {
  if (position.line >= begins_.size()) return text.size();
  const std::size_t begin = begins_[position.line];
  const std::string_view line = text.substr(begin, end(text, position.line) - begin);
  if (unit == PositionUnit::kUtf8) return begin + std::min(position.character, line.size());
  std::size_t at = 0;
  std::size_t units = 0;
  while (at < line.size() && units < position.character) {
    std::size_t step = 0;
    const std::size_t size = character_size(line, at, &step);
    if (units + step > position.character) break;  // the middle of a surrogate pair
    at += size;
    units += step;
  }
  return begin + at;
}

std::size_t count_units(std::string_view text, PositionUnit unit) {
  const bool is_ascii = std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
  if (unit == PositionUnit::kUtf8 || is_ascii) return text.size();
  std::size_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t step = 0;
    at += character_size(text, at, &step);
    units += step;
  }
  return units;
}

Position read_position(const Json& json) {
  const auto number = [&](std::string_view key) {
    return static_cast<std::size_t>(std::max<std::int64_t>(integer_at(json, {key}).value_or(0), 0));
  };
  return {number("line"), number("character")};
}

Json position_json(const Position& position) {
  return Json{{"line", position.line}, {"character", position.character}};
}

}  // namespace hloroof::internal::inline lsp
