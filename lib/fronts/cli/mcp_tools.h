// The subcommands as tools of the Model Context Protocol: a tool is a row that names a subcommand and the options that
// it has, and everything else follows from the description of the command.
#ifndef HLOROOF_LIB_FRONTS_CLI_MCP_TOOLS_H_
#define HLOROOF_LIB_FRONTS_CLI_MCP_TOOLS_H_

#include <cstdint>

#include "lib/fronts/mcp/folder.h"
#include "lib/fronts/mcp/mcp_server.h"

namespace hloroof::internal::inline cli {

// What `hloroof mcp` serves: the tools and the schemas of their JSON. `folder` must outlive the result. No tool reads a
// file outside of it, or writes one. `max_bytes` limits each module, as --max-bytes.
McpOptions mcp_options(const Folder& folder, std::int64_t max_bytes);

}  // namespace hloroof::internal::inline cli

#endif  // HLOROOF_LIB_FRONTS_CLI_MCP_TOOLS_H_
