#include "lib/base/json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
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
template <class Tree>
class Builder : public nlohmann::json_sax<Tree> {
  using Sax = nlohmann::json_sax<Tree>;

 public:
  Builder(Tree& root, const JsonLimits& limits) : root_(root), limits_(limits) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Sax::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Sax::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Sax::number_float_t value, const typename Sax::string_t&) override { return add(value); }
  bool string(typename Sax::string_t& value) override { return add(std::move(value)); }
  bool binary(typename Sax::binary_t&) override { return false; }  // not possible in JSON text

  bool start_object(size_t) override { return open(Tree::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Tree::array()); }
  bool end_array() override { return close(); }

  bool key(typename Sax::string_t& name) override {
    if (limits_.unique_members && !keys_.back().insert(name).second) {
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

  // Adds a value to the container that is being read and points to it.
  Tree* place(Tree value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Tree& parent = *open_.back();
    if (parent.is_array()) return &parent.template get_ref<typename Tree::array_t&>().emplace_back(std::move(value));
    auto& members = parent.template get_ref<typename Tree::object_t&>();
    if constexpr (std::is_same_v<Tree, OrderedJson>) {
      if (limits_.unique_members) return &members.emplace_back(std::move(key_), std::move(value)).second;  // no search
    }
    return &(members[std::move(key_)] = std::move(value));
  }

  bool add(Tree value) {
    if (++values_ > limits_.max_values) {
      problem_ = absl::StrCat("there are more than ", limits_.max_values, " values");
      return false;
    }
    last_ = place(std::move(value));
    return true;
  }

  bool open(Tree container) {
    if (static_cast<int>(open_.size()) >= limits_.max_depth) {
      problem_ = absl::StrCat("arrays and objects are nested deeper than ", limits_.max_depth, " levels");
      return false;
    }
    if (!add(std::move(container))) return false;
    open_.push_back(last_);
    if constexpr (std::is_same_v<Tree, OrderedJson>) {
      // Most objects are small, and members that do not move need no copies: their names are const.
      if (last_->is_object()) last_->template get_ref<typename Tree::object_t&>().reserve(8);
    }
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  Tree& root_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;
  // The containers being read. Only the last of them grows, so the pointers remain valid.
  std::vector<Tree*> open_;
  std::vector<absl::flat_hash_set<std::string>> keys_;  // member names of each, to find duplicates
  Tree* last_ = nullptr;                                // the value added last
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

template <class Tree>
absl::StatusOr<Tree> parse_json(std::string_view text, std::string_view path, const JsonLimits& limits) {
  // The parser would take a NUL for the end of the text and ignore the rest.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return error_at(text, path, nul, "NUL byte, which JSON does not allow");
  }
  Tree root;
  Builder<Tree> builder(root, limits);
  const char* furthest = text.data();
  const CountingIterator begin(text.data(), &furthest);
  const CountingIterator end(text.data() + text.size(), &furthest);
  if (Tree::sax_parse(begin, end, &builder)) return absl::StatusOr<Tree>(absl::in_place, std::move(root));
  size_t offset = builder.offset();
  if (offset == 0 && furthest != text.data()) offset = static_cast<size_t>(furthest - text.data()) - 1;
  return error_at(text, path, offset, builder.problem());
}

template absl::StatusOr<Json> parse_json(std::string_view, std::string_view, const JsonLimits&);
template absl::StatusOr<OrderedJson> parse_json(std::string_view, std::string_view, const JsonLimits&);

std::optional<std::string> string_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get_ref<const std::string&>();
}

std::optional<std::int64_t> integer_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  if (found->is_number_float()) {  // 3.0 and 3e0 are whole numbers of JSON, and some clients write all numbers so
    constexpr double kMost = 9007199254740992;  // 2^53: beyond, a double is none of several whole numbers
    const double number = found->get<double>();
    if (std::trunc(number) != number || std::abs(number) > kMost) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (found->is_number_unsigned()) {
    const auto number = found->get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<double> number_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<bool> bool_at(const Json& value, JsonPath path) {
  const Json* found = find(value, path);
  if (found == nullptr || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

const Json& array_at(const Json& value, JsonPath path) {
  static const Json* const kEmpty = new Json(Json::array());
  const Json* found = find(value, path);
  return found != nullptr && found->is_array() ? *found : *kEmpty;
}

std::string json_text(const Json& value) {
  return value.dump(/*indent=*/-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string_view kind_text(const OrderedJson& value) {
  switch (value.type()) {
    case OrderedJson::value_t::null: return "null";
    case OrderedJson::value_t::boolean: return "true or false";
    case OrderedJson::value_t::string: return "a string";
    case OrderedJson::value_t::array: return "an array";
    case OrderedJson::value_t::object: return "an object";
    default: return "a number";
  }
}

}  // namespace hloroof::internal::inline base
