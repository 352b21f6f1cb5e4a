#include "lib/mcp/uri.h"

#include <charconv>
#include <system_error>

namespace hloroof::internal {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

// Reads `name=N`. Returns false if the text is something else.
bool read_parameter(std::string_view text, std::string_view name, std::size_t* value) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return false;
  text.remove_prefix(name.size() + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string percent_encode(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(path.size());
  for (const char c : path) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[(static_cast<unsigned char>(c) >> 4) & 15];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::optional<ResourceUri> parse_uri(std::string_view uri, const ExcerptOptions& part) {
  ResourceUri result;
  result.part = part;
  for (const std::string_view kind : {kDumpUri, kSchemaUri}) {
    if (uri.starts_with(kind)) result.kind = kind;
  }
  if (result.kind.empty()) return std::nullopt;
  uri.remove_prefix(result.kind.size());
  const std::size_t question = uri.find('?');
  const std::optional<std::string> path = percent_decode(uri.substr(0, question));
  if (!path) return std::nullopt;
  result.path = *path;
  if (question == std::string_view::npos) return result;
  std::string_view query = uri.substr(question + 1);
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(one.size() == query.size() ? one.size() : one.size() + 1);
    if (!read_parameter(one, "first_line", &result.part.first_line) &&
        !read_parameter(one, "max_chars", &result.part.max_bytes)) {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace hloroof::internal
