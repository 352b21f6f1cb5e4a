#include "lib/lsp/features.h"
#include "lib/text/scan.h"

namespace hloroof::internal {
namespace {

constexpr std::string_view kFileScheme = "file://";

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string uri_of_path(std::string_view path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri(kFileScheme);
  for (const char c : path) {
    if (c == '/' || c == '~' || is_word(c)) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

std::string path_of_uri(std::string_view uri) {
  if (uri.substr(0, kFileScheme.size()) != kFileScheme) return "";
  uri.remove_prefix(kFileScheme.size());
  if (uri.empty() || uri[0] != '/') return "";
  std::string path;
  path.reserve(uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const bool is_escape =
        uri[i] == '%' && i + 2 < uri.size() && hex_digit(uri[i + 1]) >= 0 && hex_digit(uri[i + 2]) >= 0;
    path += is_escape ? static_cast<char>(hex_digit(uri[i + 1]) * 16 + hex_digit(uri[i + 2])) : uri[i];
    if (is_escape) i += 2;
  }
  return path;
}

}  // namespace hloroof::internal
