#include "lib/describe/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/base/casts.h"
#include "lib/base/simd.h"
#include "lib/base/utf.h"

namespace hloroof::internal::inline describe {
namespace {

constexpr int kWrittenBits = 9;  // of the numbers that are kept as text

constexpr std::size_t kAtOnce = 16;  // bytes of Bytes16

// By byte, the top bit is set where JSON needs an escape or the byte is not ASCII: control characters, quotes and
// backslashes.
unsigned special(Bytes16 bytes) { return (bytes.below(' ') | bytes.equal('"') | bytes.equal('\\')).mask(); }

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
    } else if (const std::size_t length = utf8_length(text, i); length > 0) {
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
  char* const at = room(text.size() + 2 + kAtOnce);
  at[0] = '"';
  text.copy(at + 1, text.size());
  std::memset(at + 1 + text.size(), ' ', kAtOnce);  // what the last look at several bytes also sees
  unsigned escapes = 0;
  for (std::size_t i = 0; i < text.size(); i += kAtOnce) escapes |= special(Bytes16::load(at + 1 + i));
  if (escapes == 0) {
    at[1 + text.size()] = '"';
    size_ += text.size() + 2;
    return;
  }
  put('"');
  put_escaped(text);
  put('"');
}

void JsonWriter::value(double number) {
  const auto bits = absl::bit_cast<std::uint64_t>(number);
  if (bits == 0) return json("0");  // as most numbers of a row are
  if (!std::isfinite(number)) return null();
  separate();
  char* const text = room(kShortestSize);
  if (written_.empty()) {
    size_ += static_cast<std::size_t>(write_shortest(text, number) - text);
    return;
  }
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // Fibonacci hashing: the highest bits are mixed best
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
