// A server of the Model Context Protocol (https://modelcontextprotocol.io) over a pair of streams: tools, and the dumps
// of a folder as resources. What the tools do comes from outside; this is only the protocol.
//
// Every answer is bounded: text beyond the limit is cut at a line, and its last line says how to ask for the rest.
#ifndef HLOROOF_LIB_FRONTS_MCP_MCP_SERVER_H_
#define HLOROOF_LIB_FRONTS_MCP_MCP_SERVER_H_

#include <functional>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/json.h"
#include "lib/fronts/mcp/excerpt.h"
#include "lib/fronts/mcp/folder.h"

namespace hloroof::internal::inline mcp {

struct McpResult {
  std::string text{};
  std::string notes{};  // follow the text and are never cut
  bool is_error = false;
  bool is_json = false;  // the text is JSON, which cannot be cut
};

struct McpTool {
  std::string name;
  std::string description;
  Json input_schema;  // of an object; the server adds first_line and max_chars
  std::function<McpResult(const Json& arguments)> call;
};

// A fixed document that is a resource as well.
struct McpDocument {
  std::string name;  // "prediction"; the URI is hloroof:///schemas/prediction
  std::string description;
  std::function<std::string()> text;
};

struct McpOptions {
  std::vector<McpTool> tools{};
  std::vector<McpDocument> schemas{};
  // Reads a dump, which is a real path in the folder, as text.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_dump{};
  std::string instructions{};  // for the model, when a session begins
  ExcerptOptions part{};       // what an answer has by default
};

// Answers until the end of the input. No message ends the session.
void serve_mcp(std::streambuf& in, std::ostream& out, const Folder& folder, const McpOptions& options);

}  // namespace hloroof::internal::inline mcp

#endif  // HLOROOF_LIB_FRONTS_MCP_MCP_SERVER_H_
