// SHA-256 (FIPS 180-4), used to identify the device file of a prediction.
#ifndef HLOROOF_LIB_BASE_SHA256_H_
#define HLOROOF_LIB_BASE_SHA256_H_

#include <string>
#include <string_view>

namespace hloroof::internal::inline base {

// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_SHA256_H_
