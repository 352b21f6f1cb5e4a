#include "lib/mlir/text_tokens.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hloroof::internal::mlir {
namespace {

bool is_in_name(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}
bool is_digit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (true) {
      bool begins_line = tokens.empty();
      skip_space(begins_line);
      Token token;
      token.offset = at_;
      token.begins_line = begins_line;
      if (at_ < text_.size() && !read(token)) return text_error(text_, token.offset, fault_);
      tokens.push_back(token);
      if (token.kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // space := white space | "//" up to the end of the line
  void skip_space(bool& begins_line) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        begins_line = begins_line || c == '\n';
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view name(bool with_dashes) {
    const std::size_t begin = at_;
    while (is_in_name(peek()) || (with_dashes && peek() == '-')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool fail(std::string_view what) {
    fault_ = what;
    return false;
  }

  bool read(Token& token) {
    const char c = peek();
    if (c == '%') return read_value(token);
    if (c == '@') {
      ++at_;
      token.kind = Token::Kind::kSymbol;
      token.text = name(true);
      return !token.text.empty() || fail("a name is missing after '@'");
    }
    if ((c == '#' || c == '!') && is_in_name(peek(1))) return read_dialect(token);
    if (c == '"') return read_string(token);
    if (is_digit(c) || (c == '-' && is_digit(peek(1)))) return read_number(token);
    if (is_in_name(c)) {
      token.kind = Token::Kind::kName;
      token.text = name(false);
      return true;
    }
    token.kind = Token::Kind::kPunctuation;
    const std::size_t size = c == '-' && peek(1) == '>' ? 2 : 1;
    token.text = text_.substr(at_, size);
    at_ += size;
    return std::string_view("()[]{}<>=:,*+-^?").find(c) != std::string_view::npos || fail("an unexpected character");
  }

  bool read_value(Token& token) {
    ++at_;
    token.kind = Token::Kind::kValue;
    token.text = name(true);
    if (token.text.empty()) return fail("a name is missing after '%'");
    if (peek() != '#' || !is_digit(peek(1))) return true;
    const std::size_t begin = ++at_;
    while (is_digit(peek())) ++at_;
    const std::string digits(text_.substr(begin, at_ - begin));
    return absl::SimpleAtoi(digits, &token.number) || fail("the number of a result is out of range");
  }

  bool read_dialect(Token& token) {
    token.kind = Token::Kind::kDialect;
    const std::size_t begin = at_++;
    name(false);
    std::size_t open = 0;
    if (peek() == '<') {
      do {
        // In "a -> b" the '>' closes nothing.
        if (peek() == '<') ++open;
        if (peek() == '>' && text_[at_ - 1] != '-') --open;
        ++at_;
      } while (open > 0 && at_ < text_.size());
    }
    token.text = text_.substr(begin, at_ - begin);
    return open == 0 || fail("'<' is not closed");
  }

  bool read_string(Token& token) {
    token.kind = Token::Kind::kString;
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return fail("a string is not closed");
    token.text = text_.substr(begin, at_ - begin);
    ++at_;
    return true;
  }

  // number := ['-'] digits ['.' digits] [('e' | 'E') ['+' | '-'] digits] | "0x" hexadecimal digits
  // In the shape of a type, digits are followed by 'x': "16x128xf32".
  bool read_number(Token& token) {
    token.kind = Token::Kind::kNumber;
    const std::size_t begin = at_++;
    if (peek() == 'x' && text_.substr(begin, at_ - begin) == "0" && is_hexadecimal_word()) {
      ++at_;
      while (absl::ascii_isxdigit(static_cast<unsigned char>(peek()))) ++at_;
    } else {
      while (is_digit(peek())) ++at_;
      if (peek() == '.') {
        ++at_;
        while (is_digit(peek())) ++at_;
      }
      if (peek() == 'e' || peek() == 'E') {
        const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if (is_digit(peek(1 + sign))) {
          at_ += 1 + sign;
          while (is_digit(peek())) ++at_;
        }
      }
    }
    token.text = text_.substr(begin, at_ - begin);
    return true;
  }

  // Whether "0x" begins a number: only hexadecimal digits follow, to the end of the word. "0xf32" is also a shape
  // without elements, which no kernel has.
  bool is_hexadecimal_word() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && absl::ascii_isxdigit(static_cast<unsigned char>(text_[end]))) ++end;
    return end > at_ + 1 && (end == text_.size() || !is_in_name(text_[end]));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view fault_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> tokens_of(std::string_view text) { return Tokenizer(text).run(); }

absl::Status text_error(std::string_view text, std::size_t offset, std::string_view what) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return absl::InvalidArgumentError(absl::StrCat("MLIR text:", line, ":", column + 1, ": ", std::string(what)));
}

}  // namespace hloroof::internal::mlir
