// SHA-256 (FIPS 180-4), to name the exact device file a prediction was made with.
#ifndef HLOROOF_LIB_BASE_SHA256_H_
#define HLOROOF_LIB_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace hloroof::inline v0 {

// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_BASE_SHA256_H_
