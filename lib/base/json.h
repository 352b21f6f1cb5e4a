// Parses JSON text into a plain tree, for device files, backend configs and profiles. Only json.cc uses the JSON
// library.
#ifndef HLOROOF_LIB_BASE_JSON_H_
#define HLOROOF_LIB_BASE_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::internal::inline base {

struct JsonMember;

struct JsonValue {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> elements;  // of an array
  std::vector<JsonMember> members;  // of an object, in the order of the text

  bool is(Kind k) const { return kind == k; }

  // The member named `key`; null if there is none or if this is not an object.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// The kind as used in messages: "an object", "a number" ...
std::string_view kind_text(JsonValue::Kind kind);

struct JsonOptions {
  // Nesting of arrays and objects. This also limits the stack that copying and destroying the tree needs.
  int max_depth = 64;
};

// Parses one JSON text. Messages refer to it as `path`. Errors: InvalidArgument as "path:line:column: message" with the
// source line and a caret, for a syntax error, a duplicate member, invalid UTF-8, a number out of range, and nesting
// beyond max_depth.
absl::StatusOr<JsonValue> parse_json(std::string_view text, std::string_view path, const JsonOptions& options = {});

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_JSON_H_
