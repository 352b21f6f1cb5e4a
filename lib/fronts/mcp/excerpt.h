// A part of a long text that says what is missing.
#ifndef HLOROOF_LIB_FRONTS_MCP_EXCERPT_H_
#define HLOROOF_LIB_FRONTS_MCP_EXCERPT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace hloroof::internal::inline mcp {

struct ExcerptOptions {
  std::size_t first_line = 1;
  std::size_t max_bytes = 8000;
};

// The lines of `text` from `first_line` on that fit into `max_bytes`, at least a part of one. If any are missing, a
// last line says which there are and how to ask for others: "[lines 1 to 80 of 4,210; first_line=81 has the next ...]".
// Cuts between UTF-8 characters.
std::string excerpt(std::string_view text, const ExcerptOptions& options);

}  // namespace hloroof::internal::inline mcp

#endif  // HLOROOF_LIB_FRONTS_MCP_EXCERPT_H_
