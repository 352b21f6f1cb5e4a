// Reads and writes decimal numbers independently of the locale.
#ifndef HLOROOF_LIB_BASE_DECIMAL_H_
#define HLOROOF_LIB_BASE_DECIMAL_H_

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace hloroof::internal::inline base {

// The most characters that write_shortest() writes.
inline constexpr std::size_t kShortestSize = 32;

#ifdef __cpp_lib_to_chars

// Reads the number at the start of [begin, end) as std::from_chars does.
inline std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
  return std::from_chars(begin, end, value);
}

// Writes the shortest text that reads back as the same number, and returns its end.
inline char* write_shortest(char* at, double value) { return std::to_chars(at, at + kShortestSize, value).ptr; }

#else  // libc++ before version 20 has these functions for integers only; decimal.cc has both.

std::from_chars_result read_decimal(const char* begin, const char* end, double& value);
char* write_shortest(char* at, double value);

#endif

// The number that all of `text` is; nullopt for any other text.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto read = [&] {
    if constexpr (std::is_same_v<Number, double>) {
      return read_decimal(text.data(), end, value);
    } else {
      return std::from_chars(text.data(), end, value);
    }
  };
  const std::from_chars_result result = read();
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

inline std::string shortest(double value) {
  char buffer[kShortestSize];
  return {buffer, write_shortest(buffer, value)};
}

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_DECIMAL_H_
