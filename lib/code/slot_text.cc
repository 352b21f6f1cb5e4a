#include "lib/code/slot_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hloroof::internal::inline code {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// digits ::= [0-9]+ ; hex ::= '0x' [0-9a-f]+
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const bool is_hex = take(text, "0x");
  std::uint64_t value = 0;
  bool any = false;
  while (!text.empty()) {
    const char c = text.front();
    std::uint64_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (is_hex && c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    } else {
      break;
    }
    const std::uint64_t base = is_hex ? 16 : 10;
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
    any = true;
    text.remove_prefix(1);
  }
  if (!any) return std::nullopt;
  return value;
}

// The product of the numbers in "(64, 4)", times `factor`.
double product_of(std::string_view list, double factor) {
  double product = factor;
  while (!list.empty() && list.front() != ')') {
    if (!is_digit(list.front())) {
      list.remove_prefix(1);
      continue;
    }
    const std::optional<std::uint64_t> number = take_number(list);
    if (!number) return 0;
    product *= static_cast<double>(*number);
  }
  return std::isfinite(product) ? product : 0;
}

// The text after `key` in a comment; empty if it is not there.
std::string_view after(std::string_view comment, std::string_view key) {
  const std::size_t at = comment.find(key);
  return at == std::string_view::npos ? std::string_view() : comment.substr(at + key.size());
}

void read_comment(std::string_view comment, SlotText& slot) {
  const auto says = [&](std::string_view words) { return comment.find(words) != std::string_view::npos; };
  if (says("core id")) slot.says_core_id = true;
  if (says("megacore core id")) slot.says_megacore = true;
  if (says("kDiv ") || says("kDiv*")) slot.says_quotient = true;
  if (says("kRem")) slot.says_remainder = true;
  const std::string_view window = after(comment, "window_bounds: (");
  std::string_view element = after(comment, "element_size_in_bytes: ");
  if (!window.empty() && !element.empty()) {
    const std::optional<std::uint64_t> bytes = take_number(element);
    if (bytes) slot.window_bytes = product_of(window, static_cast<double>(*bytes));
  }
}

// guard ::= '(' '!'? predicate ( ',' operand )? ')'
void read_guard(std::string_view text, SlotText& slot) {
  if (!slot.guard.empty() || text.find('%') > 1) return;  // the hexadecimal form of a branch's target
  const std::size_t comma = text.find(',');
  slot.guard = trimmed(text.substr(0, comma));
  if (comma != std::string_view::npos) slot.otherwise = trimmed(text.substr(comma + 1));
}

// The index of the bracket that closes the one at `open`, or the end of the text.
std::size_t closing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') ++depth;
    if ((text[i] == ']' || text[i] == ')') && --depth == 0) return i;
  }
  return text.size();
}

CodeOperand unknown_operand() {
  CodeOperand operand;
  operand.kind = CodeOperand::Kind::kUnknown;
  return operand;
}

// register ::= '%' name '_' ( 's' | 'p' ) digits
CodeOperand register_of(std::string_view name) {
  const std::size_t bar = name.rfind('_');
  CodeOperand operand = unknown_operand();
  if (bar == std::string_view::npos || bar + 2 >= name.size()) return operand;
  const char kind = name[bar + 1];
  std::string_view digits = name.substr(bar + 2);
  const std::optional<std::uint64_t> number = take_number(digits);
  if (!number || !digits.empty() || *number >= kRegisters || (kind != 's' && kind != 'p')) return operand;
  operand.kind = kind == 's' ? CodeOperand::Kind::kScalar : CodeOperand::Kind::kPredicate;
  operand.reg = static_cast<std::uint8_t>(*number);
  return operand;
}

// The characters of a register's name.
std::string_view take_name(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() &&
         (is_digit(text[size]) || text[size] == '_' || (text[size] >= 'a' && text[size] <= 'z'))) {
    ++size;
  }
  const std::string_view name = text.substr(0, size);
  text.remove_prefix(size);
  return name;
}

}  // namespace

SlotText slot_head(std::string_view text) {
  SlotText slot;
  text = trimmed(text);
  if (!text.empty() && text[0] == '%') {
    const std::size_t equals = text.find(" = ");
    if (equals == std::string_view::npos) return slot;
    slot.result = trimmed(text.substr(1, equals - 1));
    text = trimmed(text.substr(equals + 3));
  }
  std::size_t size = 0;
  while (size < text.size() && !is_space(text[size])) ++size;
  slot.opcode = text.substr(0, size);
  slot.rest = trimmed(text.substr(size));
  return slot;
}

SlotText slot_text(std::string_view text) {
  SlotText slot = slot_head(text);
  std::string_view rest = slot.rest;
  NamedOperand next;
  while (!(rest = trimmed(rest)).empty()) {
    if (take(rest, "/*")) {
      const std::size_t end = std::min(rest.find("*/"), rest.size());
      const std::string_view comment = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 2, rest.size()));
      if (!comment.empty() && comment.back() == '=') {
        next.name = comment.substr(0, comment.size() - 1);
      } else {
        read_comment(comment, slot);
      }
    } else if (rest[0] == '(') {
      const std::size_t end = closing(rest, 0);
      read_guard(rest.substr(1, end == rest.size() ? end : end - 1), slot);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    } else if (rest[0] == ',') {
      rest.remove_prefix(1);
    } else if (rest.substr(0, 9) == "[thread:$" || rest.substr(0, 13) == "[resolvable:$") {
      rest.remove_prefix(std::min(closing(rest, 0) + 1, rest.size()));
    } else {
      std::size_t end = 0;
      while (end < rest.size() && !is_space(rest[end]) && rest[end] != ',') {
        if (rest[end] == '[') end = std::min(closing(rest, end), rest.size() - 1);
        ++end;
        if (rest.substr(end, 2) == "/*") break;
      }
      next.text = rest.substr(0, end);
      slot.operands.push_back(next);
      next = NamedOperand();
      rest.remove_prefix(end);
    }
  }
  return slot;
}

CodeOperand result_register(std::string_view name) {
  CodeOperand operand = register_of(name);
  if (operand.kind == CodeOperand::Kind::kUnknown) operand.kind = CodeOperand::Kind::kNone;
  return operand;
}

std::optional<std::uint32_t> Allocations::address_of(std::uint64_t allocation) {
  const auto [found, is_new] = addresses_.try_emplace(allocation, 0);
  if (is_new) {
    if (addresses_.size() >= (1U << 12)) return std::nullopt;
    found->second = static_cast<std::uint32_t>(addresses_.size()) * kAllocationWords;
  }
  return found->second != 0 ? std::optional<std::uint32_t>(found->second) : std::nullopt;
}

CodeOperand Allocations::operand(std::string_view text) {
  CodeOperand operand = unknown_operand();
  operand.is_negated = take(text, "!");
  if (text.empty()) return operand;
  if (text[0] == '%') {
    const bool is_negated = operand.is_negated;
    operand = register_of(text.substr(1));
    operand.is_negated = is_negated;
    return operand;
  }
  if (is_digit(text[0]) || text[0] == '-') {
    const bool is_negative = take(text, "-");
    const std::optional<std::uint64_t> number = take_number(text);
    if (!number || !text.empty()) return operand;  // 1.5
    operand.kind = CodeOperand::Kind::kNumber;
    operand.number = static_cast<std::uint32_t>(is_negative ? 0 - *number : *number);
    return operand;
  }
  if (!take(text, "[")) return operand;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.substr(0, colon).find_first_of("[#%+") == std::string_view::npos) {
    text.remove_prefix(colon + 1);
  }
  take(text, "[");
  if (take(text, "#allocation")) {
    const std::optional<std::uint64_t> number = take_number(text);
    const std::optional<std::uint32_t> address = number ? address_of(*number) : std::nullopt;
    if (!address) return operand;
    take(text, "_spill");
    operand.kind = CodeOperand::Kind::kNumber;
    operand.number = *address;
  } else if (take(text, "%")) {
    operand = register_of(take_name(text));
    if (operand.kind != CodeOperand::Kind::kScalar) return unknown_operand();
  } else {
    return operand;
  }
  while (take(text, "]") || take(text, " ")) {
  }
  while (take(text, "+")) {
    text = trimmed(text);
    if (take(text, "$")) {
      const std::optional<std::uint64_t> number = take_number(text);
      if (!number) return unknown_operand();
      operand.number += static_cast<std::uint32_t>(*number);
    } else if (operand.kind == CodeOperand::Kind::kNumber && take(text, "%")) {
      const CodeOperand index = register_of(take_name(text));
      if (index.kind != CodeOperand::Kind::kScalar) return unknown_operand();
      operand.kind = index.kind;
      operand.reg = index.reg;
    } else {
      return unknown_operand();
    }
    while (take(text, "]") || take(text, " ")) {
    }
  }
  return operand;
}

}  // namespace hloroof::internal::inline code
