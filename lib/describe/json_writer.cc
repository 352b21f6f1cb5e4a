#include "lib/describe/json_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace hloroof::internal::inline describe {
namespace {

constexpr int kWrittenBits = 9;  // of the numbers that are kept as text

// Returns the length of the UTF-8 sequence at the front of `text`, or 0 if the sequence is malformed.
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

// Returns true if JSON needs no escape: ASCII except control characters, quotes and backslashes.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

}  // namespace

JsonWriter::JsonWriter(JsonLayout layout) : layout_(layout) {
  const bool has_rows = layout == JsonLayout::kRows || layout == JsonLayout::kRowsOfDocuments;
  if (has_rows) written_.resize(std::size_t{1} << kWrittenBits);
}

std::string JsonWriter::take() {
  out_.append(buffer_, 0, size_);
  size_ = 0;
  return std::exchange(out_, {});
}

// Small documents have a small buffer.
void JsonWriter::flush(std::size_t count) {
  constexpr std::size_t kFirst = 256;
  constexpr std::size_t kMost = std::size_t{1} << 15;
  if (buffer_.size() < kMost) {
    buffer_.resize(std::max(2 * buffer_.size(), size_ + count + kFirst));
    return;
  }
  out_.append(buffer_, 0, size_);
  size_ = 0;
  if (count > buffer_.size()) buffer_.resize(count);
}

void JsonWriter::put_escaped(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto plain_end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_plain);
    const auto end = static_cast<std::size_t>(plain_end - text.begin());
    put(text.substr(i, end - i));
    i = end;
    if (i == text.size()) return;
    const char c = text[i];
    if (c == '"' || c == '\\') {
      put('\\');
      put(c);
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char kHex[] = "0123456789abcdef";
      put("\\u00");
      put(kHex[(c >> 4) & 15]);
      put(kHex[c & 15]);
      ++i;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      put(text.substr(i, length));
      i += length;
    } else {
      put("\\ufffd");  // not UTF-8: U+FFFD, the replacement character
      ++i;
    }
  }
}

void JsonWriter::new_line() {
  const std::size_t count = 1 + 2 * depth_;
  char* const line = room(count);
  line[0] = '\n';
  std::fill_n(line + 1, count - 1, ' ');
  size_ += count;
}

// Writes what stands before a value or a key.
void JsonWriter::separate() {
  if (std::exchange(after_key_, false) || depth_ == 0) return;
  if (std::exchange(has_members_, true)) put(',');
  if (has_lines()) new_line();
}

void JsonWriter::open(char bracket) {
  separate();
  put(bracket);
  ++depth_;
  has_members_ = false;
}

void JsonWriter::close(char bracket) {
  const bool ends_lines = std::exchange(has_members_, true) && has_lines();
  --depth_;
  if (ends_lines) new_line();
  put(bracket);
}

void JsonWriter::key(std::string_view name) {
  separate();
  after_key_ = true;
  char* at = room(name.size() + 4);
  *at++ = '"';
  at += name.copy(at, name.size());
  *at++ = '"';
  *at++ = ':';
  if (has_lines()) *at++ = ' ';
  size_ = static_cast<std::size_t>(at - buffer_.data());
}

void JsonWriter::value(std::string_view text) {
  separate();
  char* at = room(text.size() + 2);
  const std::size_t begin = size_;
  *at++ = '"';
  bool are_plain = true;
  for (const char c : text) {
    are_plain &= is_plain(c);
    *at++ = c;
  }
  *at++ = '"';
  size_ = static_cast<std::size_t>(at - buffer_.data());
  if (are_plain) return;
  size_ = begin;
  put('"');
  put_escaped(text);
  put('"');
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  char* const text = room(kShortestSize);
  if (written_.empty()) {
    size_ += static_cast<std::size_t>(write_shortest(text, number) - text);
    return;
  }
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // Fibonacci hashing: the highest bits are mixed best
  const auto bits = std::bit_cast<std::uint64_t>(number);
  Written& written = written_[bits * kGoldenRatio >> (64 - kWrittenBits)];
  if (written.size == 0 || written.bits != bits) {
    written.bits = bits;
    written.size = static_cast<std::uint8_t>(write_shortest(written.text, number) - written.text);
  }
  std::copy_n(written.text, kShortestSize, text);
  size_ += written.size;
}

void JsonWriter::json(std::string_view text) {
  separate();
  put(text);
}

}  // namespace hloroof::internal::inline describe
