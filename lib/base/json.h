// Reading JSON text into a plain tree, for device files, backend configs and profiles. Nothing outside json.cc sees the
// library that does the parsing.
#ifndef HLOROOF_LIB_BASE_JSON_H_
#define HLOROOF_LIB_BASE_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace hloroof::inline v0 {

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

  // The member named `key` of an object; null when there is none or this is no object.
  const JsonValue* find(std::string_view key) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// The kind as a message says it: "an object", "a number" ...
std::string_view describe(JsonValue::Kind kind);

struct JsonOptions {
  // Arrays and objects inside one another. It also bounds the stack that copying and destroying the tree takes.
  int max_depth = 64;
};

// Parses one JSON text. `path` stands for the text in messages. Errors: InvalidArgument as "path:line:column: message"
// with the source line and a caret, for a syntax error, a member named twice, invalid UTF-8, a number out of range, and
// for nesting beyond max_depth.
absl::StatusOr<JsonValue> parse_json(std::string_view text, std::string_view path, const JsonOptions& options = {});

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_JSON_H_
