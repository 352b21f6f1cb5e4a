// The encodings of text: UTF-8 and UTF-16.
#ifndef HLOROOF_LIB_BASE_UTF_H_
#define HLOROOF_LIB_BASE_UTF_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hloroof::internal::inline base {

inline constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";  // the byte order mark as UTF-8

// The length of the UTF-8 character at `i`, or 0 if there is none (RFC 3629).
std::size_t utf8_length(std::string_view text, std::size_t i);

// Converts UTF-16 that begins with a byte order mark of either order. A lone surrogate becomes U+FFFD. Returns nullopt
// if the mark is missing or the last unit is cut.
std::optional<std::string> utf16_to_utf8(std::string_view bytes);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_UTF_H_
