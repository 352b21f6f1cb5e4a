#include "lib/fronts/lsp/features.h"
#include "lib/fronts/rpc/percent.h"

namespace hloroof::internal::inline lsp {
namespace {

constexpr std::string_view kFileScheme = "file://";

}  // namespace

std::string uri_of_path(std::string_view path) { return std::string(kFileScheme) + percent_encode(path); }

std::string path_of_uri(std::string_view uri) {
  if (uri.substr(0, kFileScheme.size()) != kFileScheme) return "";
  uri.remove_prefix(kFileScheme.size());
  if (uri.empty() || uri[0] != '/') return "";
  std::string path;
  (void)percent_decode(uri, &path);  // what is no escape is a part of the name
  return path;
}

}  // namespace hloroof::internal::inline lsp
