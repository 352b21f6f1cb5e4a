#include "lib/describe/json_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/base/casts.h"
#include "lib/base/decimal.h"
#include "lib/base/huge_pages.h"

namespace hloroof::internal {
namespace {

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

// Returns true if all eight bytes are plain. For a byte below 0x80, `byte - x` sets its high bit if the byte is below
// x. It borrows from the next byte only in that case, when the result is already false.
bool are_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kOnes;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, 8);
  const std::uint64_t control = bytes - 0x20 * kOnes;
  const std::uint64_t quote = (bytes ^ ('"' * kOnes)) - kOnes;
  const std::uint64_t backslash = (bytes ^ ('\\' * kOnes)) - kOnes;
  return ((bytes | control | quote | backslash) & kHigh) == 0;
}

bool all_plain(std::string_view text) {
  if (text.size() < 8) return std::all_of(text.begin(), text.end(), is_plain);
  const char* last = text.data() + text.size() - 8;
  for (const char* at = text.data(); at < last; at += 8) {
    if (!are_plain(at)) return false;
  }
  return are_plain(last);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_plain(c)) {
      out += c;
      ++i;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      static constexpr char kHex[] = "0123456789abcdef";
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
      ++i;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      out += text.substr(i, length);
      i += length;
    } else {
      out += "\\ufffd";  // not UTF-8: U+FFFD, the replacement character
      ++i;
    }
  }
  return out;
}

// Copies a block of constant size, which takes one or two instructions.
template <std::size_t kBytes>
void copy_block(const char* from, char* at) {
  std::memcpy(at, from, kBytes);
}

// Most texts are short. Two blocks that may overlap copy them without a call.
[[gnu::always_inline]] inline char* copy(std::string_view text, char* at) {
  const char* from = text.data();
  const std::size_t size = text.size();
  if (size > 32) {
    std::memcpy(at, from, size);
  } else if (size >= 16) {
    copy_block<16>(from, at);
    copy_block<16>(from + size - 16, at + size - 16);
  } else if (size >= 8) {
    copy_block<8>(from, at);
    copy_block<8>(from + size - 8, at + size - 8);
  } else if (size >= 4) {
    copy_block<4>(from, at);
    copy_block<4>(from + size - 4, at + size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) at[i] = from[i];
  }
  return at + size;
}

// Whether the text of `number` is that of a whole number. With five zeros at the end, 1e+05 is as short.
bool is_written_whole(double number) {
  constexpr double kMost = 9007199254740992;  // 2^53: from here on, not every whole number is a double
  if (!(number >= 0 && number < kMost) || std::signbit(number)) return false;
  const auto whole = static_cast<std::uint64_t>(number);
  return static_cast<double>(whole) == number && (whole < 100000 || whole % 100000 != 0);
}

// An indentation up to this length is one copy of constant size.
constexpr std::string_view kSpaces = "                                ";
}  // namespace

// Half of a prediction's JSON is indentation and keys. Writing through a pointer, with memory reserved 16 kB at a time,
// needs two thirds of the instructions of appending to a string (bench/predict_bench, json: 3.4 to 2.2 ms for 4.6 MB).
inline char* JsonWriter::room(std::size_t bytes) {
  if (out_.size() - size_ < bytes) grow(bytes);
  return out_.data() + size_;
}

void JsonWriter::grow(std::size_t bytes) {
  constexpr std::size_t kStep = 16384;
  out_.resize(size_ + bytes + kStep);
}

void JsonWriter::reserve(std::size_t bytes) {
  out_.reserve(bytes);
  prefer_huge_pages(out_.data(), out_.capacity());
}

void JsonWriter::put(std::string_view text) { end(copy(text, room(text.size()))); }

inline char* JsonWriter::new_line(char* at) const {
  if (layout_ == JsonLayout::kCompact) return at;
  *at++ = '\n';
  const std::size_t indent = 2 * depth_;
  if (indent <= kSpaces.size()) {
    std::memcpy(at, kSpaces.data(), kSpaces.size());
  } else {
    std::memset(at, ' ', indent);
  }
  return at + indent;
}

[[gnu::always_inline]] inline char* JsonWriter::start(std::size_t bytes) {
  char* at = room(2 + std::max(2 * depth_, kSpaces.size()) + bytes);
  if (after_key_) {
    after_key_ = false;
    return at;
  }
  if (depth_ == 0) return at;
  if (has_members_) *at++ = ',';
  has_members_ = true;
  return new_line(at);
}

void JsonWriter::open(char bracket) {
  char* at = start(1);
  *at++ = bracket;
  end(at);
  ++depth_;
  has_members_ = false;
}

void JsonWriter::close(char bracket) {
  const bool had_members = has_members_;
  --depth_;
  has_members_ = true;
  char* at = room(2 + std::max(2 * depth_, kSpaces.size()));
  if (had_members) at = new_line(at);
  *at++ = bracket;
  end(at);
}

void JsonWriter::key(std::string_view name) {
  char* at = start(name.size() + 4);
  after_key_ = true;
  *at++ = '"';
  at = copy(name, at);
  *at++ = '"';
  *at++ = ':';
  if (layout_ == JsonLayout::kIndented) *at++ = ' ';
  end(at);
}

// Copies three blocks, whatever the length of the name.
void JsonWriter::key(const JsonKey& name) {
  static_assert(JsonKey::kMost == 48);
  char* at = start(JsonKey::kMost);
  after_key_ = true;
  copy_block<16>(name.text(), at);
  copy_block<16>(name.text() + 16, at + 16);
  copy_block<16>(name.text() + 32, at + 32);
  end(at + name.size() - (layout_ == JsonLayout::kIndented ? 0 : 1));
}

void JsonWriter::value(std::string_view text) {
  std::string with_escapes;
  if (!all_plain(text)) {
    with_escapes = escaped(text);
    text = with_escapes;
  }
  char* at = start(text.size() + 2);
  *at++ = '"';
  at = copy(text, at);
  *at++ = '"';
  end(at);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  char* at = start(kNumber);
  // Most numbers of a prediction are whole, and most of the others were written before. The search for the shortest
  // text is slow.
  if (is_written_whole(number)) {
    const auto whole = static_cast<std::uint64_t>(number);
    if (whole < 10) {
      *at = static_cast<char>('0' + whole);
      end(at + 1);
    } else {
      end(std::to_chars(at, at + kNumber, whole).ptr);
    }
    return;
  }
  if (known_.empty()) known_.resize(std::size_t{1} << kKnownBits);
  const auto bits = absl::bit_cast<std::uint64_t>(number);
  KnownNumber& known = known_[(bits * 0x9e3779b97f4a7c15u) >> (64 - kKnownBits)];
  if (known.size == 0 || known.bits != bits) {
    known.bits = bits;
    known.size = static_cast<std::uint8_t>(write_shortest(known.text, number) - known.text);
  }
  std::memcpy(at, known.text, kNumber);
  end(at + known.size);
}

void JsonWriter::value(std::int64_t number) {
  char* at = start(kNumber);
  end(std::to_chars(at, at + kNumber, number).ptr);
}

void JsonWriter::value(bool truth) { end(copy(truth ? "true" : "false", start(5))); }

void JsonWriter::json(std::string_view text) { end(copy(text, start(text.size()))); }

void JsonWriter::repeat(std::size_t begin, std::size_t end_of_text) {
  char* at = start(end_of_text - begin);
  end(copy(std::string_view(out_).substr(begin, end_of_text - begin), at));
}

void JsonWriter::repeat_members(std::size_t begin, std::size_t end_of_text) {
  char* at = room(end_of_text - begin);
  end(copy(std::string_view(out_).substr(begin, end_of_text - begin), at));
}

void JsonWriter::null() { end(copy("null", start(4))); }

}  // namespace hloroof::internal
