// Parses JSON text into a tree of the JSON library: bounded, without exceptions, and with the place of an error. All
// that the library and the servers read as JSON goes through parse_json.
//
//   const absl::StatusOr<OrderedJson> file = parse_json(text, path);
//   const OrderedJson* bandwidth = find(*file, {"hbm", "bandwidth"});
#ifndef HLOROOF_LIB_BASE_JSON_H_
#define HLOROOF_LIB_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline base {

using Json = nlohmann::json;                 // members sorted by name: messages
using OrderedJson = nlohmann::ordered_json;  // members in the order of the text: files

struct JsonLimits {
  // Nesting of arrays and objects. The library copies, prints and destroys values recursively, so this also limits the
  // stack.
  int max_depth = 64;
  // A value takes at least 16 bytes of memory, but may be two bytes of text.
  std::size_t max_values = std::numeric_limits<std::size_t>::max();
  // Whether a member that is given twice is an error. Otherwise the last one counts.
  bool unique_members = true;
};

// Parses one JSON text as a Json or an OrderedJson. Messages refer to it as `path`. Errors: InvalidArgument as
// "path:line:column: message" with the source line and a caret, for a syntax error, a duplicate member, invalid UTF-8,
// a number out of range, and what is beyond the limits.
template <class Tree = OrderedJson>
absl::StatusOr<Tree> parse_json(std::string_view text, std::string_view path, const JsonLimits& limits = {});
extern template absl::StatusOr<Json> parse_json(std::string_view, std::string_view, const JsonLimits&);
extern template absl::StatusOr<OrderedJson> parse_json(std::string_view, std::string_view, const JsonLimits&);

using JsonPath = std::initializer_list<std::string_view>;

// The member at `path`; null if there is none or if a value on the way is not an object.
template <class Tree>
const Tree* find(const Tree& value, JsonPath path) {
  const Tree* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto member = at->find(std::string(key));
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

// The string, whole number, number or truth value at `path`; nullopt if it is something else.
std::optional<std::string> string_at(const Json& value, JsonPath path);
std::optional<std::int64_t> integer_at(const Json& value, JsonPath path);
std::optional<double> number_at(const Json& value, JsonPath path);
std::optional<bool> bool_at(const Json& value, JsonPath path);

// The array at `path`; an empty one if it is something else.
const Json& array_at(const Json& value, JsonPath path);

// The text of `value` without line breaks. Invalid UTF-8 in strings becomes U+FFFD.
std::string json_text(const Json& value);

// The kind of `value` as used in messages: "an object", "a number" ...
std::string_view kind_text(const OrderedJson& value);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_JSON_H_
