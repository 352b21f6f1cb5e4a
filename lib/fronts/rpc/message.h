// The messages of JSON-RPC 2.0 (https://www.jsonrpc.org/specification).
#ifndef HLOROOF_LIB_FRONTS_RPC_MESSAGE_H_
#define HLOROOF_LIB_FRONTS_RPC_MESSAGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lib/base/json.h"

namespace hloroof::internal::inline rpc {

// The codes of JSON-RPC, and those that the Language Server Protocol adds.
enum class RpcCode : int {
  kParseError = -32700,      // the message is not JSON
  kInvalidRequest = -32600,  // the message is JSON, but not a message
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kResourceNotFound = -32002,  // in the Model Context Protocol
  kRequestFailed = -32803,     // the request was right, but cannot be answered
  kContentModified = -32801,
  kRequestCancelled = -32800,
};

struct RpcError {
  RpcCode code = RpcCode::kInternalError;
  std::string message;
  Json data;  // null: none
};

// What a request is answered with.
using Reply = std::variant<Json, RpcError>;

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };

  Kind kind = Kind::kNotification;
  Json id;  // a string, a whole number, or null if there is none
  std::string method;
  Json params;  // an object, an array, or null if there are none
  Json result;  // of a response
  std::optional<RpcError> error;
};

// The limits of messages, which come from outside.
inline constexpr JsonLimits kMessageLimits{
    .max_depth = 64, .max_values = std::size_t{1} << 22, .unique_members = false};

// Reads one message. Returns an error if `text` is not a message; then only message.id is set, if it could be read.
std::optional<RpcError> parse_message(std::string_view text, const JsonLimits& limits, Message& message);

Json request_json(const Json& id, std::string_view method, Json params);
Json notification_json(std::string_view method, Json params);
Json response_json(const Json& id, Reply reply);

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_MESSAGE_H_
