#include "lib/values/raw_value.h"

namespace hloroof::internal::inline values {
namespace {

// '{' balanced '}', '(' balanced ')' or '[' balanced ']'. Skips strings in either quotes and comments. Counts all kinds
// of brackets together; the decoder of a value rejects mismatched ones.
bool skip_balanced(Cursor& cursor) {
  cursor.skip_space();
  const char* open = cursor.at();
  std::size_t depth = 0;
  do {
    const char c = cursor.peek();
    switch (c) {
      case '{':
      case '(':
      case '[': ++depth; break;
      case '}':
      case ')':
      case ']':
        if (depth == 0) return cursor.fail_expects("a bracketed value");
        --depth;
        break;
      case '"':
      case '\'': {
        std::string_view raw;
        if (!cursor.read_string(&raw)) return false;
        continue;
      }
      case 0:
        if (cursor.at() >= cursor.end()) return cursor.fail(open, "bracket is not closed");
        break;
      default: break;
    }
    cursor.move_to(cursor.at() + 1);
  } while (depth > 0);
  return true;
}

bool is_one_of(char c, std::string_view set) { return c != 0 && set.find(c) != std::string_view::npos; }

// A sign that joins two parts of a value, as <= joins [4,8] and [32], or precedes one.
bool is_sign(char c) { return is_one_of(c, "<=?*+~#>:"); }

bool begins_part(char c) { return is_word_start(c) || is_digit(c) || is_sign(c) || is_one_of(c, "{([\"'-"); }

// ?, * and a > that closes a < may end a value. Any other sign, including the arrow, needs a right side. Otherwise a
// line that ends in <= would include the name of the next instruction if names have no %.
bool ends_value(const char* sign, const char* from) {
  return *sign == '?' || *sign == '*' || (*sign == '>' && (sign == from || sign[-1] != '-'));
}

}  // namespace

bool skip_raw_value(Cursor& cursor) {
  cursor.skip_space();
  const char* from = cursor.at();
  while (true) {
    const char* end = cursor.at();
    const char c = cursor.peek();
    if (is_one_of(c, "{([")) {
      if (!skip_balanced(cursor)) return false;
    } else if (c == '"' || c == '\'') {
      std::string_view raw;
      if (!cursor.read_string(&raw)) return false;
    } else if (is_word_start(c) || is_digit(c) || c == '-') {
      const char* word = cursor.at();
      // ROOT starts the next instruction, so the value is missing.
      if (word == from && cursor.accept_keyword("ROOT")) {
        cursor.move_to(from);
        break;
      }
      while (is_word(*cursor.at())) cursor.move_to(cursor.at() + 1);
      // A word after a complete value is the name of the next instruction, or ROOT.
      if (cursor.at() == word) cursor.move_to(word + 1);
    } else if (is_sign(c)) {
      const char* sign = cursor.at();
      cursor.move_to(sign + 1);
      if (!ends_value(sign, from)) {
        if (!begins_part(cursor.peek())) return cursor.fail_expects("the rest of the value");
        continue;
      }
    } else {
      cursor.move_to(end);  // excludes blanks after the value
      break;
    }
    // A value continues with a group, a joining sign, or a word without a blank before it.
    if (const char next = *cursor.at(); !is_one_of(next, "({[<>=#?:") && !is_word(next)) break;
  }
  if (cursor.at() == from) return cursor.fail_expects("a value");
  return true;
}

}  // namespace hloroof::internal::inline values
