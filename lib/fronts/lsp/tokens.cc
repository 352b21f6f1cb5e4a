#include "lib/fronts/lsp/tokens.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/ir/attribute_form.h"
#include "lib/ir/opcode_facts.h"
#include "lib/text/legal_name.h"
#include "lib/values/scan.h"

namespace hloroof::internal::inline lsp {
namespace {

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::size_t begin, std::size_t end) : text_(text.substr(0, end)), at_(begin) {}

  LineTokens instruction() {
    if (word_is("ROOT")) add(TokenRole::kKeyword, 4);
    definition();
    skip_blanks();
    if (!accept('=')) return take();
    shape_and_opcode();
    return take();
  }

  LineTokens header() {
    if (word_is("HloModule")) add(TokenRole::kKeyword, 9);
    definition();
    attributes();
    return take();
  }

  LineTokens computation() {
    if (word_is("ENTRY")) add(TokenRole::kKeyword, 5);
    definition();
    while (at_ < text_.size()) {
      if (step_over_space_or_comment()) continue;
      if (type()) continue;
      if (is_word_start(text_[at_])) {
        add(TokenRole::kWord, word_size());  // the name of a parameter
      } else {
        ++at_;
      }
    }
    return take();
  }

 private:
  LineTokens take() { return std::move(result_); }

  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool accept(char c) {
    if (!is_at(c)) return false;
    ++at_;
    return true;
  }
  std::size_t word_size() const { return word_size(at_); }
  std::size_t word_size(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return end - from;
  }
  // Whether a number is next: 7, -7, .5.
  bool at_number() const {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    return is_digit(c) || ((c == '-' || c == '.') && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
  }
  bool word_is(std::string_view word) {
    skip_blanks();
    return text_.substr(at_, word_size()) == word;
  }

  void add(TokenRole role, std::size_t size) {
    result_.tokens.insert(result_.tokens.end(), Token{at_, size, role, attribute_, in_attribute_});
    at_ += size;
  }

  // Also moves over a character that no token begins with.
  bool step_over_space_or_comment() {
    const char c = text_[at_];
    if (is_space(c)) {
      ++at_;
      return true;
    }
    if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      add(TokenRole::kComment, (end == std::string_view::npos ? text_.size() : end + 2) - at_);
      return true;
    }
    if (text_.substr(at_, 2) == "//") {
      const std::size_t end = text_.find('\n', at_);
      add(TokenRole::kComment, (end == std::string_view::npos ? text_.size() : end) - at_);
      return true;
    }
    return false;
  }
  void skip_blanks() {
    while (at_ < text_.size() && step_over_space_or_comment()) {
    }
  }

  // %name or name.
  void definition() {
    skip_blanks();
    accept('%');
    if (const std::size_t size = word_size(); size > 0) add(TokenRole::kName, size);
  }

  // bf16[8,128]{1,0:T(8,128)}: a type name directly before a bracket or a parenthesis.
  bool type() {
    const std::size_t size = word_size();
    const char next = at_ + size < text_.size() ? text_[at_ + size] : '\0';
    if (size == 0 || next != '[' || !is_type_name(text_.substr(at_, size))) return false;
    add(TokenRole::kType, size);
    const std::size_t bracket = text_.find(']', at_);
    if (bracket == std::string_view::npos) {
      add(TokenRole::kDimensions, text_.size() - at_);
      return true;
    }
    add(TokenRole::kDimensions, bracket + 1 - at_);
    if (!is_at('{')) return true;
    const std::size_t brace = text_.find('}', at_);
    add(TokenRole::kLayout, (brace == std::string_view::npos ? text_.size() : brace + 1) - at_);
    return true;
  }

  // '=' shape opcode '(' operands ')' attributes
  void shape_and_opcode() {
    int depth = 0;
    result_.expected = Expected::kOpcode;
    while (at_ < text_.size()) {
      if (step_over_space_or_comment() || type()) continue;
      const std::size_t size = word_size();
      if (size > 0 && depth == 0) {
        result_.opcode = opcode_from_string(text_.substr(at_, size)).value_or(Opcode::kUnknown);
        const bool is_call = at_ + size < text_.size() && text_[at_ + size] == '(';
        add(TokenRole::kOpcode, size);
        if (!is_call) continue;
        ++at_;
        operands();
        return;
      }
      if (is_at('(')) ++depth;
      if (is_at(')') && depth > 0) --depth;
      at_ += size > 0 ? size : 1;
    }
  }

  void operands() {
    const bool has_values = result_.opcode == Opcode::kConstant || result_.opcode == Opcode::kParameter;
    int depth = 1;
    result_.expected = has_values ? Expected::kOther : Expected::kOperand;
    while (at_ < text_.size() && depth > 0) {
      if (step_over_space_or_comment() || string() || type()) continue;
      if (is_at('%')) {
        ++at_;
        if (const std::size_t size = word_size(); size > 0) add(TokenRole::kOperand, size);
        continue;
      }
      if (const std::size_t size = word_size(); is_word_start(text_[at_]) || at_number()) {
        const bool is_name = !has_values && is_word_start(text_[at_]);
        add(is_name ? TokenRole::kOperand : TokenRole::kNumber, size);
        continue;
      }
      if (is_at('(') || is_at('{')) ++depth;
      if (is_at(')') || is_at('}')) --depth;
      ++at_;
    }
    if (depth > 0) return;
    result_.expected = Expected::kOther;
    attributes();
  }

  bool string() {
    if (!is_at('"')) return false;
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    add(TokenRole::kString, std::min(end + 1, text_.size()) - at_);
    return true;
  }

  // (',' name '=' value)*
  void attributes() {
    while (at_ < text_.size()) {
      in_attribute_ = false;
      attribute_ = AttributeKey::kUnknown;
      skip_blanks();
      if (accept(',')) result_.expected = Expected::kAttributeName;
      skip_blanks();
      const std::size_t size = word_size();
      if (size == 0) {
        if (at_ < text_.size() && !is_at(',')) ++at_;
        continue;
      }
      if (at_ + size >= text_.size() || text_[at_ + size] != '=') {
        add(TokenRole::kWord, size);
        continue;
      }
      in_attribute_ = true;
      attribute_ = attribute_from_string(text_.substr(at_, size)).value_or(AttributeKey::kUnknown);
      add(TokenRole::kAttributeName, size);
      ++at_;
      value();
    }
  }

  // The role of a name in the value of the attribute.
  std::optional<TokenRole> role_of_names() const {
    if (attribute_ == AttributeKey::kUnknown) return std::nullopt;
    if (names_computations(attribute_)) return TokenRole::kComputation;
    if (form(attribute_) == AttributeForm::kInstructionList) return TokenRole::kOperand;
    return std::nullopt;
  }

  // Up to the next comma outside of brackets.
  void value() {
    const std::optional<TokenRole> role = role_of_names();
    result_.expected = !role                              ? Expected::kOther
                       : *role == TokenRole::kComputation ? Expected::kComputation
                                                          : Expected::kOperand;
    if (attribute_ == AttributeKey::kBackendConfig && is_at('{')) {
      const char* const end = json_end(text_.data() + at_, text_.data() + text_.size());
      add(TokenRole::kString, end == nullptr ? text_.size() - at_ : static_cast<std::size_t>(end - text_.data()) - at_);
      return;
    }
    int depth = 0;
    while (at_ < text_.size()) {
      if (depth == 0 && is_at(',')) return;
      if (step_over_space_or_comment() || string() || type()) continue;
      if (is_at('%')) {
        ++at_;
        if (const std::size_t size = word_size(); size > 0) add(role.value_or(TokenRole::kWord), size);
        continue;
      }
      if (const std::size_t size = word_size(); is_word_start(text_[at_]) || at_number()) {
        const bool is_word = is_word_start(text_[at_]);
        const bool is_field = is_word && at_ + size < text_.size() && text_[at_ + size] == '=';
        add(!is_word ? TokenRole::kNumber : is_field ? TokenRole::kField : role.value_or(TokenRole::kWord), size);
        continue;
      }
      const char c = text_[at_++];
      if (c == '{' || c == '[' || c == '(') ++depth;
      if ((c == '}' || c == ']' || c == ')') && depth > 0) --depth;
    }
  }

  std::string_view text_;
  std::size_t at_;
  AttributeKey attribute_ = AttributeKey::kUnknown;
  bool in_attribute_ = false;
  LineTokens result_;
};

}  // namespace

const Token* LineTokens::at(std::size_t offset) const {
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (token.offset <= offset && offset < token.end()) return &token;
    if (token.end() == offset && token.size > 0) found = &token;
  }
  return found;
}

LineTokens instruction_tokens(std::string_view text, std::size_t begin, std::size_t end) {
  return Tokenizer(text, begin, end).instruction();
}

LineTokens header_tokens(std::string_view text, std::size_t begin, std::size_t end) {
  return Tokenizer(text, begin, end).header();
}

LineTokens computation_tokens(std::string_view text, std::size_t begin, std::size_t end) {
  return Tokenizer(text, begin, end).computation();
}

}  // namespace hloroof::internal::inline lsp
