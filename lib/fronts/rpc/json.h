// JSON of messages that come from outside: bounded before it is parsed, and read without exceptions.
//
//   const Json* position = find(params, {"position"});
//   const std::int64_t line = integer_at(params, {"position", "line"}).value_or(0);
#ifndef HLOROOF_LIB_FRONTS_RPC_JSON_H_
#define HLOROOF_LIB_FRONTS_RPC_JSON_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline rpc {

using Json = nlohmann::json;

struct JsonLimits {
  // Nesting of arrays and objects. The library destroys, copies and prints values recursively, so it also limits the
  // stack.
  int max_depth = 64;
  // A value takes at least 16 bytes of memory, but may be two bytes of text.
  std::size_t max_values = std::size_t{1} << 22;
};

// Parses one JSON text. Errors: InvalidArgument for malformed text, ResourceExhausted beyond the limits.
absl::StatusOr<Json> parse_message_json(std::string_view text, const JsonLimits& limits = {});

// The text of `value` without line breaks. Invalid UTF-8 in strings becomes U+FFFD.
std::string message_text(const Json& value);

using JsonPath = std::initializer_list<std::string_view>;

// The member at `path`; null if there is none or if a value on the way is not an object.
const Json* find(const Json& value, JsonPath path);

// The string, whole number or truth value at `path`; nullopt if it is something else.
std::optional<std::string> string_at(const Json& value, JsonPath path);
std::optional<std::int64_t> integer_at(const Json& value, JsonPath path);
std::optional<double> number_at(const Json& value, JsonPath path);
std::optional<bool> bool_at(const Json& value, JsonPath path);

// The array at `path`; an empty one if it is something else.
const Json& array_at(const Json& value, JsonPath path);

}  // namespace hloroof::internal::inline rpc

#endif  // HLOROOF_LIB_FRONTS_RPC_JSON_H_
