// Reading HLO text left to right: the low-level half of every parse function in lib/text.
//
// A cursor is a pointer into text that ends in a NUL, so that the inner loops need no test for the end: no token
// contains a NUL, hence none runs past it. Tokens are read on demand and by what the grammar expects at that place,
// since `{` and a word mean different things in different places (a layout, a body, raw JSON, a literal; a name, a
// type, a keyword).
//
// The read_ functions skip white space and comments before the token and leave the cursor right behind it. They return
// false after recording an error; the accept_ functions return false without an error and without moving.
#ifndef HLOROOF_LIB_TEXT_CURSOR_H_
#define HLOROOF_LIB_TEXT_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/text/scan.h"

namespace hloroof::inline v0 {

// What went wrong at one place. An error is a list of them, innermost first: `expects an integer` at the token, then
// what that was part of.
struct ErrorRecord {
  std::size_t offset = 0;
  std::string message;
};

// A number as the grammar knows it.
struct Number {
  enum Kind : std::uint8_t { kInteger, kDecimal, kInfinity, kNan };
  Kind kind = kInteger;
  bool negative = false;
  bool has_payload = false;   // nan(0x...)
  std::int64_t integer = 0;   // of kInteger; 2^63 .. 2^64-1 as the int64 with the same bits
  bool above_int64 = false;   // of kInteger: the text was 2^63 or more
  double decimal = 0;         // of kDecimal; +-infinity where the text overflows
  std::uint64_t payload = 0;  // of kNan
};

class Cursor {
 public:
  // `text.data()[text.size()]` must be readable and must end any token: a NUL, or the delimiter behind a value that
  // lies inside a parsed text.
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
  // Counts one level of nested shapes, operands, literals, computations; false with an error at the limit.
  bool enter() { return ++depth_ <= max_depth_ || too_deep(); }
  void leave() { --depth_; }
  bool exceeded_limit() const { return exceeded_limit_; }
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }
  int max_depth() const { return max_depth_; }

  // --- white space and punctuation --------------------------------------------------------------------------------
  // Skips white space, // and /* */ comments. An unterminated /* or a lone / stays unread: it is no token, so whatever
  // is expected there fails.
  void skip_space() {
    while (is_space(*at_)) ++at_;
    if (*at_ == '/') skip_comments();
  }
  // The byte that the next token begins with; NUL at the end.
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
  // As accept, with the error `expects 'c'` and what was found.
  bool expect(char c) { return accept(c) || fail_expected(std::string_view(&c, 1)); }
  bool expect(std::string_view token) { return accept(token) || fail_expected(token); }
  // Records `expects WHAT but sees THIS`.
  bool fail_expects(std::string_view what);

  // --- words ------------------------------------------------------------------------------------------------------
  // A word: a letter or _, then letters, digits, _ . -. Empty without an error if the next token is none. A word that
  // is followed by a glued = or : is taken too, without that character; see read_attribute_name.
  std::string_view accept_word() {
    if (!is_word_start(peek())) return {};
    const char* from = at_;
    at_ = skip_word(at_, end_);
    return since(from);
  }
  // Takes the next word if it is exactly `word` and no = or : is glued to it.
  bool accept_keyword(std::string_view word) { return peek() == word[0] && accept_keyword_from_first(word); }
  // A name: %word, or a word, or word: (the colon is taken). Without the %.
  std::string_view accept_name() {
    std::uint32_t hash = 0;
    return accept_name(&hash);
  }
  // In *hash, what hash_bytes gives for the name.
  std::string_view accept_name(std::uint32_t* hash);
  bool read_name(std::string_view* name) {
    std::uint32_t hash = 0;
    return read_name(name, &hash);
  }
  bool read_name(std::string_view* name, std::uint32_t* hash);
  // word= with the = glued: the = is taken. Empty without an error if the next token is none.
  std::string_view accept_attribute_name() {
    if (!is_word_start(peek())) return {};
    const char* from = at_;
    const char* done = skip_word(at_, end_);
    if (*done != '=') return {};
    at_ = done + 1;
    return std::string_view(from, static_cast<std::size_t>(done - from));
  }

  // --- values -----------------------------------------------------------------------------------------------------
  // -?D+ in the range of int64, or up to 2^64-1 (stored as the int64 with the same bits).
  bool read_integer(std::int64_t* value) {
    skip_space();
    // Nearly every integer is a few digits before punctuation; a sign, what may be a longer token such as 1.5 or 3x3,
    // and errors are left to the other function, which read all integers once: 7 % of a dump's reading, now 1 %.
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
  // "..." or '...'; the text between the quotes with its escapes, which have been checked.
  bool read_string(std::string_view* raw);
  // A balanced {...} taken raw, strings in double quotes skipped: JSON and what looks like it. With its braces.
  bool read_json(std::string_view* raw);
  // 3x3, 1x2x3, also a lone integer (one entry). Non-negative.
  bool read_dims_by_x(std::vector<std::int64_t>* values);
  // b01f_01io->b01f: the whole token.
  bool read_dim_labels(std::string_view* labels);
  // 0_1_0x-1_1: `fields` counts the integers of each dimension (2 or 3), `values` has them all; both may be null.
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

// The characters that the escapes of `raw`, the inside of a string as read_string gave it, stand for.
std::string unescape(std::string_view raw);
// As XLA prints a string's inside: \n \r \t \" \' \\ and three octal digits for bytes below 0x20 and above 0x7e.
std::string escape(std::string_view text);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_TEXT_CURSOR_H_
