#include "lib/base/utf.h"

#include <cstdint>

namespace hloroof::internal::inline base {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

void append_utf8(std::uint32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::optional<std::string> utf16_to_utf8(std::string_view bytes) {
  const std::string_view mark = bytes.substr(0, 2);
  const bool is_little = mark == "\xff\xfe";
  if ((!is_little && mark != "\xfe\xff") || bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    const std::uint32_t first = static_cast<unsigned char>(bytes[i]);
    const std::uint32_t second = static_cast<unsigned char>(bytes[i + 1]);
    return is_little ? second << 8 | first : first << 8 | second;
  };
  const auto is_low = [](std::uint32_t code) { return code >= 0xdc00 && code < 0xe000; };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t i = 2; i < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 2 < bytes.size() && is_low(unit(i + 2))) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = kReplacement;
    }
    append_utf8(code, out);
  }
  return out;
}

}  // namespace hloroof::internal::inline base
