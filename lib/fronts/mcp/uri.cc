#include "lib/fronts/mcp/uri.h"

#include <charconv>
#include <system_error>

#include "lib/fronts/rpc/percent.h"

namespace hloroof::internal::inline mcp {
namespace {

// Reads `name=N`. Returns false if the text is something else.
bool read_parameter(std::string_view text, std::string_view name, std::size_t* value) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('=')) return false;
  text.remove_prefix(name.size() + 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<ResourceUri> parse_uri(std::string_view uri, const ExcerptOptions& part) {
  ResourceUri result;
  result.part = part;
  for (const std::string_view kind : {kDumpUri, kSchemaUri}) {
    if (uri.starts_with(kind)) result.kind = kind;
  }
  if (result.kind.empty()) return std::nullopt;
  uri.remove_prefix(result.kind.size());
  const std::size_t question = uri.find('?');
  if (!percent_decode(uri.substr(0, question), &result.path)) return std::nullopt;
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

}  // namespace hloroof::internal::inline mcp
