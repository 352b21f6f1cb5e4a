#include "lib/values/cursor.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lib/base/decimal.h"

namespace hloroof::internal::inline values {
namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
unsigned hex_value(char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }

const char* skip_digits(const char* p) {
  while (is_digit(*p)) ++p;
  return p;
}

// The end of the decimal at p, -?(D+|D+.D*|D*.D+)[eE][+-]?D+ or -?(D+.D*|D*.D+); null if there is none.
const char* decimal_end(const char* p) {
  if (*p == '-') ++p;
  const char* whole = p;
  p = skip_digits(p);
  const bool has_whole = p != whole;
  bool has_point = false;
  if (*p == '.') {
    const char* fraction = skip_digits(p + 1);
    if (has_whole || fraction != p + 1) {
      has_point = true;
      p = fraction;
    }
  }
  if (!has_whole && !has_point) return nullptr;
  if (*p == 'e' || *p == 'E') {
    const char* exponent = p + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    const char* done = skip_digits(exponent);
    if (done != exponent) return done;
  }
  return has_point ? p : nullptr;
}

// The end of the escape sequence whose backslash is at `p`; null if it is invalid.
const char* escape_end(const char* p, std::uint32_t* code) {
  ++p;
  switch (*p) {
    case 'n': *code = '\n'; return p + 1;
    case 'r': *code = '\r'; return p + 1;
    case 't': *code = '\t'; return p + 1;
    case 'a': *code = '\a'; return p + 1;
    case 'b': *code = '\b'; return p + 1;
    case 'f': *code = '\f'; return p + 1;
    case 'v': *code = '\v'; return p + 1;
    case '\\':
    case '?':
    case '\'':
    case '"': *code = static_cast<std::uint8_t>(*p); return p + 1;
    case 'x': {
      const char* q = p + 1;
      *code = 0;
      while (is_hex(*q) && *code <= 0xff) *code = *code * 16 + hex_value(*q++);
      return q != p + 1 && *code <= 0xff ? q : nullptr;
    }
    case 'u':
    case 'U': {
      const int digits = *p == 'u' ? 4 : 8;
      *code = 0;
      for (int i = 1; i <= digits; ++i) {
        if (!is_hex(p[i])) return nullptr;
        *code = *code * 16 + hex_value(p[i]);
      }
      const bool surrogate = *code >= 0xd800 && *code < 0xe000;
      return *code <= 0x10ffff && !surrogate ? p + 1 + digits : nullptr;
    }
    default: break;
  }
  if (!is_octal(*p)) return nullptr;
  *code = 0;
  const char* q = p;
  while (q < p + 3 && is_octal(*q)) *code = *code * 8 + static_cast<std::uint32_t>(*q++ - '0');
  return *code <= 0xff ? q : nullptr;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

bool Cursor::fail(const char* where, std::string_view message) {
  errors_.push_back({static_cast<std::size_t>(where - begin_), std::string(message)});
  return false;
}

bool Cursor::too_deep() {
  exceeded_limit_ = true;
  return fail("nesting exceeds the limit of " + std::to_string(max_depth_) + " levels");
}

bool Cursor::fail_expects(std::string_view what) {
  skip_space();
  std::string message = "expects " + std::string(what);
  if (at_ >= end_) return fail(message + " but the text ends");
  // Quote the next word or character.
  const char* p = at_;
  while (is_word(*p) && p - at_ < 32) ++p;
  if (p == at_ && static_cast<std::uint8_t>(*p) > 0x20 && static_cast<std::uint8_t>(*p) < 0x7f) ++p;
  if (p != at_) message += " but sees '" + std::string(at_, p) + "'";
  return fail(message);
}

bool Cursor::fail_expected(std::string_view token) { return fail_expects("'" + std::string(token) + "'"); }

// A cursor over a value inside a text can read past the value, but must not skip the comments after it.
void Cursor::skip_comments() {
  while (at_ < end_ && *at_ == '/') {
    if (at_[1] == '/') {
      // A line comment ends at the end of the line. A NUL inside the text does not end it.
      while (*at_ != '\n' && *at_ != '\r' && at_ < end_) ++at_;
    } else if (at_[1] == '*') {
      const std::size_t room = static_cast<std::size_t>(end_ - at_);
      const std::size_t close = std::string_view(at_, room).find("*/", 2);
      if (close == std::string_view::npos) return;
      at_ += close + 2;
    } else {
      return;
    }
    while (is_space(*at_)) ++at_;
  }
}

bool Cursor::accept(std::string_view token) {
  skip_space();
  if (end_ - at_ < static_cast<std::ptrdiff_t>(token.size()) || std::memcmp(at_, token.data(), token.size()) != 0) {
    return false;
  }
  at_ += token.size();
  return true;
}

bool Cursor::accept_keyword_from_first(std::string_view word) {
  const char* from = at_;
  if (accept_word() == word && *at_ != '=' && *at_ != ':') return true;
  at_ = from;
  return false;
}

// name := '%' word | word ':'?      the % and the colon glued
std::string_view Cursor::accept_name(std::uint32_t* hash) {
  const char c = peek();
  if (c == '%') {
    if (!is_word_start(at_[1])) return {};
    const char* from = ++at_;
    at_ = skip_word(at_, end_, hash);
    return since(from);
  }
  if (!is_word_start(c)) return {};
  const char* from = at_;
  at_ = skip_word(at_, end_, hash);
  if (*at_ == '=') {  // a word directly followed by = is an attribute name
    at_ = from;
    return {};
  }
  const std::string_view name = since(from);
  if (*at_ == ':') ++at_;
  return name;
}

bool Cursor::read_name(std::string_view* name, std::uint32_t* hash) {
  *name = accept_name(hash);
  return !name->empty() || fail_expects("a name");
}

bool Cursor::read_unusual_integer(std::int64_t* value) {
  Number number;
  skip_space();
  const char* from = at_;
  const bool starts = is_digit(*at_) || *at_ == '-';
  if (!starts || !read_number(&number)) {
    if (starts) errors_.pop_back();
    at_ = from;
    return fail_expects("an integer");
  }
  // 1x2 and 1_2 are single tokens, not integers.
  const bool longer = (*at_ == 'x' && is_digit(at_[1])) || (*at_ == '_' && (is_digit(at_[1]) || at_[1] == '-'));
  if (number.kind != Number::kInteger || longer) {
    at_ = from;
    return fail_expects("an integer");
  }
  *value = number.integer;
  return true;
}

bool Cursor::read_bool(bool* value) {
  if (accept_keyword("true")) {
    *value = true;
    return true;
  }
  if (accept_keyword("false")) {
    *value = false;
    return true;
  }
  return fail_expects("true or false");
}

// number := -?D+ | decimal | '-'? 'inf' | '-'? 'nan' ('(' '0x' H+ ')')?
bool Cursor::read_number(Number* number) {
  skip_space();
  const char* from = at_;
  const char* p = at_;
  *number = Number();
  if (*p == '-') {
    number->negative = true;
    ++p;
  }
  if (is_word_start(*p)) {
    const char* word = p;
    while (is_word(*p)) ++p;
    const std::string_view text(word, static_cast<std::size_t>(p - word));
    const bool glued = !number->negative && (*p == '=' || *p == ':');
    if (text == "inf" && !glued) {
      number->kind = Number::kInfinity;
    } else if (text == "nan" && !glued) {
      number->kind = Number::kNan;
      if (*p == '(') {
        // A payload is the nonzero mantissa of a double; 0 would be an infinity.
        const char* digits = p + 3;
        const char* q = digits;
        if (p[1] == '0' && (p[2] == 'x' || p[2] == 'X')) {
          while (is_hex(*q) && number->payload < (std::uint64_t{1} << 52)) {
            number->payload = number->payload * 16 + hex_value(*q++);
          }
        }
        if (q == digits || *q != ')' || number->payload == 0 || number->payload >= (std::uint64_t{1} << 52)) {
          return fail(from, "expects a NaN payload of the form (0x1) .. (0xfffffffffffff)");
        }
        number->has_payload = true;
        p = q + 1;
      }
    } else {
      return fail_expects("a number");
    }
    at_ = p;
    return true;
  }
  const char* done = *from == '.' ? nullptr : decimal_end(from);  // a token cannot begin with a point
  if (done != nullptr) {
    number->kind = Number::kDecimal;
    const std::from_chars_result result = read_decimal(from, done, number->decimal);
    if (result.ec == std::errc::result_out_of_range) {
      // Overflow or underflow; strtod returns infinity or zero.
      number->decimal = std::strtod(std::string(from, done).c_str(), nullptr);
    }
    at_ = done;
    return true;
  }
  if (!is_digit(*p)) return fail_expects("a number");
  done = skip_digits(p);
  std::uint64_t magnitude = 0;
  const std::from_chars_result result = std::from_chars(p, done, magnitude);
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if (result.ec != std::errc() || (number->negative && magnitude > kTop)) {
    return fail(from, "integer does not fit 64 bits");
  }
  number->integer = static_cast<std::int64_t>(number->negative ? 0 - magnitude : magnitude);
  at_ = done;
  return true;
}

bool Cursor::read_string(std::string_view* raw) {
  const char quote = peek();
  if (quote != '"' && quote != '\'') return fail_expects("a string");
  const char* open = at_;
  const char* p = open + 1;
  while (true) {
    p = quote == '"' ? find_first_of<'"', '\\'>(p, end_) : find_first_of<'\'', '\\'>(p, end_);
    if (p >= end_) return fail(open, "string is not terminated");
    if (*p == quote) break;
    std::uint32_t code = 0;
    const char* next = escape_end(p, &code);
    if (next == nullptr) return fail(p, "not an escape sequence");
    p = next;
  }
  *raw = std::string_view(open + 1, static_cast<std::size_t>(p - open - 1));
  at_ = p + 1;
  return true;
}

bool Cursor::read_json(std::string_view* raw) {
  if (peek() != '{') return fail_expected("{");
  const char* done = json_end(at_, end_);
  if (done == nullptr) return fail("'{' is not closed");
  *raw = std::string_view(at_, static_cast<std::size_t>(done - at_));
  at_ = done;
  return true;
}

// dims := D+ ('x' D+)*
bool Cursor::read_dims_by_x(std::vector<std::int64_t>* values) {
  skip_space();
  const char* from = at_;
  const char* p = at_;
  while (true) {
    const char* done = skip_digits(p);
    std::int64_t value = 0;
    if (done == p || std::from_chars(p, done, value).ec != std::errc()) {
      at_ = from;
      return fail_expects("integers joined by x");
    }
    if (values != nullptr) values->push_back(value);
    p = done;
    if (*p != 'x' || !is_digit(p[1])) break;
    ++p;
  }
  at_ = p;
  return true;
}

// labels := [0-9bf?]{2,} '_' [0-9io?]{2,} '->' [0-9bf?]{2,}
bool Cursor::read_dim_labels(std::string_view* labels) {
  skip_space();
  const char* from = at_;
  const char* p = at_;
  const auto part = [&p](std::string_view letters) {
    const char* start = p;
    while (is_digit(*p) || (*p != 0 && letters.find(*p) != std::string_view::npos)) ++p;
    return p - start >= 2;
  };
  const auto glued = [&p](char c) { return *p == c && ++p != nullptr; };
  if (!part("bf?") || !glued('_') || !part("io?") || !glued('-') || !glued('>') || !part("bf?")) {
    return fail_expects("dimension labels such as b01f_01io->b01f");
  }
  *labels = std::string_view(from, static_cast<std::size_t>(p - from));
  at_ = p;
  return true;
}

// pad := entry ('x' entry)*        entry := INT '_' INT ('_' INT)?      all glued
bool Cursor::read_padding(std::vector<std::int64_t>* values, std::vector<std::uint8_t>* fields) {
  skip_space();
  const char* from = at_;
  const char* p = at_;
  while (true) {
    std::uint8_t count = 0;
    while (true) {
      const char* digits = *p == '-' && count < 2 ? p + 1 : p;  // interior padding must not be negative
      const char* done = skip_digits(digits);
      std::int64_t value = 0;
      if (done == digits || std::from_chars(p, done, value).ec != std::errc()) {
        at_ = from;
        return fail_expects("padding such as 0_1x2_3");
      }
      if (values != nullptr) values->push_back(value);
      ++count;
      p = done;
      if (*p != '_' || count == 3) break;
      ++p;
    }
    if (count < 2) {
      at_ = from;
      return fail_expects("padding such as 0_1x2_3");
    }
    if (fields != nullptr) fields->push_back(count);
    if (*p != 'x') break;
    ++p;
  }
  at_ = p;
  return true;
}

std::string unescape(std::string_view raw) {
  std::string out;
  // read_string has checked the escapes, so each is complete. The copy provides the NUL after the last one.
  const std::string text(raw);
  const char* p = text.c_str();
  const char* end = p + text.size();
  while (p < end) {
    std::uint32_t code = 0;
    const char* next = *p == '\\' ? escape_end(p, &code) : nullptr;
    if (next == nullptr) {
      out += *p++;
    } else {
      const bool is_unicode = p[1] == 'u' || p[1] == 'U';
      if (is_unicode) {
        append_utf8(out, code);
      } else {
        out += static_cast<char>(code);
      }
      p = next;
    }
  }
  return out;
}

}  // namespace hloroof::internal::inline values
