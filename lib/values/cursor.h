// The lexer of HLO text, which all parse functions in lib/text use.
//
// A cursor is a pointer into text that ends in a NUL. No token contains a NUL, so the inner loops need no test for the
// end. Tokens are read on demand, as the grammar expects them, because `{` may start a layout, a body, raw JSON or a
// literal, and a word may be a name, a type or a keyword.
//
// All functions skip white space and comments before the token and leave the cursor after it. The read_ functions
// record an error and return false on failure. The accept_ functions return false without an error and without moving.
#ifndef HLOROOF_LIB_VALUES_CURSOR_H_
#define HLOROOF_LIB_VALUES_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/values/scan.h"

namespace hloroof::internal::inline values {

// A message and its place. An error is a list of records, innermost first: `expects an integer` at the token, then the
// enclosing constructs.
struct ErrorRecord {
  std::size_t offset = 0;
  std::string message;
};

// A number of the grammar.
struct Number {
  enum Kind : std::uint8_t { kInteger, kDecimal, kInfinity, kNan };
  Kind kind = kInteger;
  bool negative = false;
  bool has_payload = false;   // nan(0x...)
  std::int64_t integer = 0;   // for kInteger; 2^63 .. 2^64-1 as the int64 with the same bits
  double decimal = 0;         // for kDecimal; +-infinity on overflow
  std::uint64_t payload = 0;  // for kNan
};

class Cursor {
 public:
  // `text.data()[text.size()]` must be readable and must end any token. It is a NUL, or the delimiter after a value
  // inside a parsed text.
  explicit Cursor(std::string_view text = std::string_view(""), int max_depth = 8192)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), max_depth_(max_depth) {}

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  void move_to(const char* at) { at_ = at; }
  // The text from `from` to the cursor.
  std::string_view since(const char* from) const {
    return std::string_view(from, static_cast<std::size_t>(at_ - from));
  }

  // --- errors -----------------------------------------------------------------------------------------------------
  // Records an error at `where` and returns false, so that a parse function can `return cursor.fail(...)`.
  bool fail(const char* where, std::string_view message);
  bool fail(std::string_view message) { return fail(at_, message); }
  bool failed() const { return !errors_.empty(); }
  const std::vector<ErrorRecord>& errors() const { return errors_; }
  std::vector<ErrorRecord>& errors() { return errors_; }

  // --- nesting ----------------------------------------------------------------------------------------------------
  // Enters one level of nested shapes, operands, literals or computations. Fails with an error at the limit.
  bool enter() { return ++depth_ <= max_depth_ || too_deep(); }
  void leave() { --depth_; }
  bool exceeded_limit() const { return exceeded_limit_; }
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }
  int max_depth() const { return max_depth_; }

  // --- white space and punctuation --------------------------------------------------------------------------------
  // Skips white space, // and /* */ comments. Does not skip an unterminated /* or a single /; neither is a token, so
  // the next read fails.
  void skip_space() {
    while (is_space(*at_)) ++at_;
    if (*at_ == '/') skip_comments();
  }
  // The first byte of the next token; NUL at the end.
  char peek() {
    skip_space();
    return *at_;
  }
  bool at_end() {
    skip_space();
    return at_ >= end_;
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  // Punctuation of several characters: "->", "<=", "...".
  bool accept(std::string_view token);
  // Like accept, but records the error `expects 'c'` with the text found.
  bool expect(char c) { return accept(c) || fail_expected(std::string_view(&c, 1)); }
  bool expect(std::string_view token) { return accept(token) || fail_expected(token); }
  // Records the error `expects WHAT but sees THIS`.
  bool fail_expects(std::string_view what);

  // --- words ------------------------------------------------------------------------------------------------------
  // A word: a letter or _, then letters, digits, _ . -. Empty if the next token is not a word. Also accepts a word that
  // is directly followed by = or :, without that character; see accept_attribute_name.
  std::string_view accept_word() {
    if (!is_word_start(peek())) return {};
    const char* from = at_;
    at_ = skip_word(at_, end_);
    return since(from);
  }
  // Accepts the next word if it equals `word` and is not directly followed by = or :.
  bool accept_keyword(std::string_view word) { return peek() == word[0] && accept_keyword_from_first(word); }
  // A name: %word, word, or word: including the colon. Returns it without the %.
  std::string_view accept_name() {
    std::uint32_t hash = 0;
    return accept_name(&hash);
  }
  // Also sets *hash to hash_bytes of the name.
  std::string_view accept_name(std::uint32_t* hash);
  bool read_name(std::string_view* name) {
    std::uint32_t hash = 0;
    return read_name(name, &hash);
  }
  bool read_name(std::string_view* name, std::uint32_t* hash);
  // A word directly followed by =, which is consumed. Empty if there is none.
  std::string_view accept_attribute_name() {
    if (!is_word_start(peek())) return {};
    const char* from = at_;
    const char* done = skip_word(at_, end_);
    if (*done != '=') return {};
    at_ = done + 1;
    return std::string_view(from, static_cast<std::size_t>(done - from));
  }

  // --- values -----------------------------------------------------------------------------------------------------
  // -?D+ in the range of int64, or up to 2^64-1, which is stored as the int64 with the same bits.
  bool read_integer(std::int64_t* value) {
    skip_space();
    // Fast path for a few digits before punctuation, which nearly every integer is. It reduced the time for integers
    // from 7 % to 1 % of parsing a dump. The slow path handles signs, longer tokens such as 1.5 or 3x3, and errors.
    const char* p = at_;
    std::int64_t sum = 0;
    for (; is_digit(*p) && p - at_ < 18; ++p) sum = sum * 10 + (*p - '0');
    if (p == at_ || is_word(*p)) return read_unusual_integer(value);
    at_ = p;
    *value = sum;
    return true;
  }
  bool read_bool(bool* value);
  // Any number: integer, decimal, inf, -inf, nan, -nan(0x7).
  bool read_number(Number* number);
  // "..." or '...'. Returns the text between the quotes with its escapes, which are valid.
  bool read_string(std::string_view* raw);
  // A balanced {...} including its braces, such as JSON. Braces in double-quoted strings do not count.
  bool read_json(std::string_view* raw);
  // 3x3, 1x2x3, or a single integer. Non-negative.
  bool read_dims_by_x(std::vector<std::int64_t>* values);
  // b01f_01io->b01f as one token.
  bool read_dim_labels(std::string_view* labels);
  // 0_1_0x-1_1: `values` has all integers, `fields` the number of integers per dimension (2 or 3). Both may be null.
  bool read_padding(std::vector<std::int64_t>* values, std::vector<std::uint8_t>* fields);

 private:
  void skip_comments();
  bool accept_keyword_from_first(std::string_view word);
  bool read_unusual_integer(std::int64_t* value);
  bool too_deep();
  bool fail_expected(std::string_view token);

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_ = 0;
  int max_depth_;
  bool exceeded_limit_ = false;
  std::vector<ErrorRecord> errors_;
};

// Replaces the escapes in `raw`, a result of read_string.
std::string unescape(std::string_view raw);

}  // namespace hloroof::internal::inline values

#endif  // HLOROOF_LIB_VALUES_CURSOR_H_
