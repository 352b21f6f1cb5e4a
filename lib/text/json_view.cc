#include "lib/text/json_view.h"

#include <charconv>
#include <cstdlib>

#include "lib/text/cursor.h"

namespace hloroof::internal {

JsonView::JsonView(std::string_view text) : text_(text) {
  while (!text_.empty() && is_space(text_.front())) text_.remove_prefix(1);
  while (!text_.empty() && is_space(text_.back())) text_.remove_suffix(1);
}

std::size_t JsonView::skip_space(std::size_t at) const {
  while (at < text_.size() && is_space(text_[at])) ++at;
  return at;
}

std::size_t JsonView::string_end(std::size_t at) const {
  // Embedded kernels are strings of tens of kB without escapes, which find() scans at memory speed.
  ++at;
  while (at < text_.size()) {
    const std::size_t quote = text_.find('"', at);
    if (quote == std::string_view::npos) return text_.size();
    std::size_t backslashes = 0;
    while (quote - backslashes > at && text_[quote - backslashes - 1] == '\\') ++backslashes;
    at = quote + 1;
    if (backslashes % 2 == 0) return at;
  }
  return text_.size();
}

std::size_t JsonView::value_end(std::size_t at) const {
  if (at >= text_.size()) return at;
  if (text_[at] == '"') return string_end(at);
  if (text_[at] != '{' && text_[at] != '[') {
    while (at < text_.size() && text_[at] != ',' && text_[at] != '}' && text_[at] != ']' && !is_space(text_[at])) ++at;
    return at;
  }
  std::size_t depth = 0;
  while (at < text_.size()) {
    switch (text_[at]) {
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']':
        if (--depth == 0) return at + 1;
        break;
      case '"': at = string_end(at); continue;
      default: break;
    }
    ++at;
  }
  return at;
}

JsonView JsonView::operator[](std::string_view name) const {
  JsonView found;
  for_each_member([&](std::string_view member, JsonView value) {
    if (member != name) return true;
    found = value;
    return false;
  });
  return found;
}

std::string_view JsonView::unquoted() const {
  if (text_.size() < 2 || text_.front() != '"' || text_.back() != '"') return text_;
  return text_.substr(1, text_.size() - 2);
}

std::optional<std::int64_t> JsonView::integer() const {
  const std::string_view digits = unquoted();
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> JsonView::number() const {
  const std::string_view digits = unquoted();
  double value = 0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::string JsonView::string() const {
  if (text_.size() < 2 || text_.front() != '"' || text_.back() != '"') return {};
  // HLO has all escapes of JSON except \/, which remains unchanged.
  return unescape(unquoted());
}

std::vector<std::int64_t> JsonView::integers() const {
  std::vector<std::int64_t> values;
  for_each_element([&values](JsonView element) {
    if (const std::optional<std::int64_t> value = element.integer()) values.push_back(*value);
  });
  return values;
}

}  // namespace hloroof::internal
