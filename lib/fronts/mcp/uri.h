// The URIs of resources: hloroof:///dumps/PATH and hloroof:///schemas/NAME, with ?first_line=N&max_chars=N behind them.
#ifndef HLOROOF_LIB_FRONTS_MCP_URI_H_
#define HLOROOF_LIB_FRONTS_MCP_URI_H_

#include <optional>
#include <string>
#include <string_view>

#include "lib/fronts/mcp/excerpt.h"

namespace hloroof::internal::inline mcp {

inline constexpr std::string_view kDumpUri = "hloroof:///dumps/";
inline constexpr std::string_view kSchemaUri = "hloroof:///schemas/";

struct ResourceUri {
  std::string_view kind;  // kDumpUri or kSchemaUri
  std::string path;       // decoded
  ExcerptOptions part;
};

// nullopt if `uri` is not such a URI. `part` has the defaults of what the URI does not say.
std::optional<ResourceUri> parse_uri(std::string_view uri, const ExcerptOptions& part);

}  // namespace hloroof::internal::inline mcp

#endif  // HLOROOF_LIB_FRONTS_MCP_URI_H_
