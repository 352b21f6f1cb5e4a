#include "lib/base/json.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error_place.h"
#include "lib/base/source_text.h"
#include "lib/base/strings.h"

namespace hloroof::internal::inline base {
namespace {

constexpr size_t kMaxMessage = 200;  // bytes; a message quotes the text, and a token may have megabytes
constexpr size_t kMaxLine = 100;     // bytes of the source line shown

std::string clip(std::string_view text, size_t limit) {
  return text.size() <= limit ? std::string(text) : absl::StrCat(to_absl(text.substr(0, limit)), "...");
}

// Returns "path:line:column: message", the source line and a caret for the byte at `offset`.
absl::Status error_at(std::string_view text, std::string_view path, size_t offset, std::string_view message) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t newline = before.rfind('\n');
  const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t column = offset - line_start;
  // A long line is shown from shortly before the offset.
  const size_t shown_from = column > kMaxLine / 2 ? offset - kMaxLine / 2 : line_start;
  std::string_view rest = text.substr(shown_from);
  rest = rest.substr(0, std::min(rest.find_first_of("\r\n"), kMaxLine));
  std::string shown(rest);
  make_printable(shown);  // keeps the caret below its column
  return with_place(
      invalid_argument(absl::StrCat(to_absl(path), ":", line, ":", column + 1, ": ", clip(message, kMaxMessage), "\n  ",
                                    shown, "\n  ", std::string(offset - shown_from, ' '), "^")),
      path, LineColumn{line, column + 1}, "json");
}

// Builds the tree from the parser's events. The parser does not recurse, so only this class limits the depth.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(JsonValue& root, int max_depth) : root_(root), max_depth_(max_depth) {}

  bool null() override { return add(JsonValue::Kind::kNull) != nullptr; }
  bool boolean(bool value) override {
    add(JsonValue::Kind::kBool)->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    add(JsonValue::Kind::kString)->string = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // not possible in JSON text

  bool start_object(size_t) override { return open(JsonValue::Kind::kObject); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(JsonValue::Kind::kArray); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      problem_ = absl::StrCat("duplicate member \"", clip(name, 60), "\"");
      return false;
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // The position is the number of bytes read, including the offending one.
    offset_ = position == 0 ? 0 : position - 1;
    problem_ = message_of(error.what());
    return false;
  }

  const std::string& problem() const { return problem_; }
  size_t offset() const { return offset_; }

 private:
  // Removes the place and the text, which error_at() shows, from
  // "[json.exception...] parse error at line 1, column 2: syntax error ...; last read: '...'; expected ...".
  static std::string message_of(std::string_view what) {
    const size_t column = what.find(", column ");
    const size_t colon = column == std::string_view::npos ? what.find("] ") : what.find(": ", column);
    if (colon != std::string_view::npos) what = what.substr(colon + 2);
    const size_t quoted = what.find("; last read: '");
    if (quoted == std::string_view::npos) return std::string(what);
    const size_t end = what.rfind('\'');
    return absl::StrCat(to_absl(what.substr(0, quoted)), to_absl(what.substr(end + 1)));
  }

  bool number(double value) {
    add(JsonValue::Kind::kNumber)->number = value;
    return true;
  }

  JsonValue* add(JsonValue::Kind kind) {
    JsonValue* value = &root_;
    if (!open_.empty()) {
      JsonValue& parent = *open_.back();
      if (parent.is(JsonValue::Kind::kObject)) {
        value = &parent.members.emplace_back(JsonMember{std::move(key_), JsonValue()}).value;
      } else {
        value = &parent.elements.emplace_back();
      }
    }
    value->kind = kind;
    return value;
  }

  bool open(JsonValue::Kind kind) {
    if (static_cast<int>(open_.size()) >= max_depth_) {
      problem_ = absl::StrCat("arrays and objects are nested deeper than ", max_depth_, " levels");
      return false;
    }
    open_.push_back(add(kind));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  JsonValue& root_;
  const int max_depth_;
  // The containers being read. Only the last of them grows, so the pointers remain valid.
  std::vector<JsonValue*> open_;
  std::vector<absl::flat_hash_set<std::string>> keys_;  // member names of each, to find duplicates
  std::string key_;
  std::string problem_;
  size_t offset_ = 0;
};

// Iterates over the text and reports the position of the parser, for errors that the builder detects.
class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  [[maybe_unused]] friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string_view kind_text(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull: return "null";
    case JsonValue::Kind::kBool: return "true or false";
    case JsonValue::Kind::kNumber: return "a number";
    case JsonValue::Kind::kString: return "a string";
    case JsonValue::Kind::kArray: return "an array";
    case JsonValue::Kind::kObject: return "an object";
  }
  return "?";
}

absl::StatusOr<JsonValue> parse_json(std::string_view text, std::string_view path, const JsonOptions& options) {
  // The parser would take a NUL for the end of the text and ignore the rest.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return error_at(text, path, nul, "NUL byte, which JSON does not allow");
  }
  JsonValue root;
  Builder builder(root, options.max_depth);
  const char* furthest = text.data();
  const CountingIterator begin(text.data(), &furthest);
  const CountingIterator end(text.data() + text.size(), &furthest);
  if (nlohmann::json::sax_parse(begin, end, &builder)) return root;
  size_t offset = builder.offset();
  if (offset == 0 && furthest != text.data()) offset = static_cast<size_t>(furthest - text.data()) - 1;
  return error_at(text, path, offset, builder.problem());
}

}  // namespace hloroof::internal::inline base
