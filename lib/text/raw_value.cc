#include "lib/text/raw_value.h"

namespace hloroof::inline v0 {
namespace {

// '{' balanced '}', '(' balanced ')' or '[' balanced ']', with strings in either quotes and comments skipped. The kinds
// of brackets are counted together: a value that closes one with another is refused by whoever decodes it.
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

// What stands between two parts of a value, as <= between [4,8] and [32], or before one.
bool is_sign(char c) { return is_one_of(c, "<=?*+~#>:"); }

bool begins_part(char c) { return is_word_start(c) || is_digit(c) || is_sign(c) || is_one_of(c, "{([\"'-"); }

// ?, * and a > that closes a < may end a value. Any other sign, the arrow too, has a right side, wherever that stands:
// else a line that ends in <= would take along the name of the next instruction where names are written without %.
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
      // The next instruction's: the value is missing.
      if (word == from && cursor.accept_keyword("ROOT")) {
        cursor.move_to(from);
        break;
      }
      while (is_word(*cursor.at())) cursor.move_to(cursor.at() + 1);
      // A word behind a complete value is the next instruction's name, or ROOT.
      if (cursor.at() == word) cursor.move_to(word + 1);
    } else if (is_sign(c)) {
      const char* sign = cursor.at();
      cursor.move_to(sign + 1);
      if (!ends_value(sign, from)) {
        if (!begins_part(cursor.peek())) return cursor.fail_expects("the rest of the value");
        continue;
      }
    } else {
      cursor.move_to(end);  // blanks behind the value are not part of it
      break;
    }
    // What can go on without a comma: a group, a sign that joins, a glued word.
    if (const char next = *cursor.at(); !is_one_of(next, "({[<>=#?:") && !is_word(next)) break;
  }
  if (cursor.at() == from) return cursor.fail_expects("a value");
  return true;
}

}  // namespace hloroof::inline v0
