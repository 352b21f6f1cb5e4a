#include "lib/values/json_view.h"

#include "lib/base/decimal.h"
#include "lib/values/cursor.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline values {

JsonView::JsonView(std::string_view text) : text_(text) {
  while (!text_.empty() && is_space(text_.front())) text_.remove_prefix(1);
  while (!text_.empty() && is_space(text_.back())) text_.remove_suffix(1);
}

std::size_t JsonView::skip_space(std::size_t at) const {
  while (at < text_.size() && is_space(text_[at])) ++at;
  return at;
}

// Most of the text is names and values that the reader does not want. Blocks of 16 bytes skip them; see scan.h.
std::size_t JsonView::string_end(std::size_t at) const {
  const char* const end = text_.data() + text_.size();
  const char* p = text_.data() + at + 1;
  while (true) {
    p = find_first_of<'"', '\\'>(p, end);
    if (p == end) return text_.size();
    if (*p == '"') return static_cast<std::size_t>(p + 1 - text_.data());
    p += end - p > 1 ? 2 : 1;
  }
}

std::size_t JsonView::value_end(std::size_t at) const {
  if (at >= text_.size()) return at;
  if (text_[at] == '"') return string_end(at);
  if (text_[at] != '{' && text_[at] != '[') {
    while (at < text_.size() && text_[at] != ',' && text_[at] != '}' && text_[at] != ']' && !is_space(text_[at])) ++at;
    return at;
  }
  const char* const end = text_.data() + text_.size();
  if (text_[at] == '{') {
    const char* const closed = json_end(text_.data() + at, end);
    return closed != nullptr ? static_cast<std::size_t>(closed - text_.data()) : text_.size();
  }
  std::size_t depth = 0;
  while (at < text_.size()) {
    const char* const p = find_first_of<'{', '[', '}', ']', '"'>(text_.data() + at, end);
    at = static_cast<std::size_t>(p - text_.data());
    if (p == end) return at;
    if (*p == '"') {
      at = string_end(at);
      continue;
    }
    ++at;
    if (*p == '{' || *p == '[') {
      ++depth;
    } else if (--depth == 0) {
      return at;
    }
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

std::optional<std::int64_t> JsonView::integer() const { return parse_number<std::int64_t>(unquoted()); }
std::optional<double> JsonView::number() const { return parse_number<double>(unquoted()); }

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

}  // namespace hloroof::internal::inline values
