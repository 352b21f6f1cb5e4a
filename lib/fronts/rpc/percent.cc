#include "lib/fronts/rpc/percent.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "absl/strings/ascii.h"

namespace hloroof::internal::inline rpc {

std::string percent_encode(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(path.size());
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

bool percent_decode(std::string_view text, std::string* decoded) {
  decoded->clear();
  decoded->reserve(text.size());
  bool is_well_formed = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      *decoded += text[i];
      continue;
    }
    const std::string_view digits = text.substr(i + 1, 2);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() == 2 && error == std::errc() && end == digits.data() + 2) {
      *decoded += static_cast<char>(value);
      i += 2;
    } else {
      *decoded += '%';
      is_well_formed = false;
    }
  }
  return is_well_formed;
}

}  // namespace hloroof::internal::inline rpc
