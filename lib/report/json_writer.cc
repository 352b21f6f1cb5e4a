#include "lib/report/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hloroof::inline v0 {
namespace {

// Length of the UTF-8 sequence at the front of `text`; 0 if there is none that is well formed.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : (lead >> 5) == 6 ? 2 : (lead >> 4) == 14 ? 3 : (lead >> 3) == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? lead : lead & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3f);
  }
  const bool overlong =
      (length == 2 && code < 0x80) || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

// What stands for itself: ASCII but control characters, quotes and backslashes.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

// One append where the nesting is not deeper than anything we write.
void JsonWriter::new_line(bool after_comma) {
  static constexpr std::string_view kLine = ",\n                                ";
  const std::size_t begin = after_comma ? 0 : 1;
  const std::size_t indent = 2 * has_members_.size();
  out_.append(kLine.substr(begin, std::min(kLine.size(), 2 + indent) - begin));
  if (2 + indent > kLine.size()) out_.append(2 + indent - kLine.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  new_line(has_members_.back());
  has_members_.back() = true;
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  has_members_.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) new_line(/*after_comma=*/false);
  out_ += bracket;
}

void JsonWriter::key(std::string_view name) {
  before_value();
  after_key_ = true;
  out_ += '"';
  out_ += name;
  out_ += "\": ";
}

void JsonWriter::value(std::string_view text) {
  before_value();
  out_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out_.append(text, i, plain - i);
    i = plain;
    if (i == text.size()) break;
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char kHex[] = "0123456789abcdef";
      out_ += "\\u00";
      out_ += kHex[(c >> 4) & 15];
      out_ += kHex[c & 15];
      ++i;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      out_ += text.substr(i, length);
      i += length;
    } else {
      out_ += "\\ufffd";  // bytes that are no text
      ++i;
    }
  }
  out_ += '"';
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  before_value();
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out_.append(buffer, end);
}

void JsonWriter::value(std::int64_t number) {
  before_value();
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  out_.append(buffer, end);
}

void JsonWriter::value(bool truth) {
  before_value();
  out_ += truth ? "true" : "false";
}

void JsonWriter::null() {
  before_value();
  out_ += "null";
}

}  // namespace hloroof::inline v0
