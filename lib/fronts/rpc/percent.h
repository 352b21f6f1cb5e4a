// The percent escapes of URIs (RFC 3986).
#ifndef HLOROOF_LIB_FRONTS_RPC_PERCENT_H_
#define HLOROOF_LIB_FRONTS_RPC_PERCENT_H_

#include <string>
#include <string_view>

namespace hloroof::internal::inline rpc {

// `path` with escapes for all bytes that are neither unreserved nor a slash.
std::string percent_encode(std::string_view path);

// Stores `text` without its escapes. Malformed ones stay as they are. Returns whether there are none.
bool percent_decode(std::string_view text, std::string* decoded);

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_PERCENT_H_
