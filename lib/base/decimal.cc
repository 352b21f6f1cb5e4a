#include "lib/base/decimal.h"

#ifndef __cpp_lib_to_chars

#include <cstdio>
#include <cstdlib>

#include "absl/strings/charconv.h"

namespace hloroof::internal::inline base {

std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
  const absl::from_chars_result result = absl::from_chars(begin, end, value);
  return {result.ptr, result.ec};
}

char* write_shortest(char* at, double value) {
  // 17 significant digits distinguish all doubles.
  for (int digits = 15; digits <= 17; ++digits) {
    const int size = std::snprintf(at, kShortestSize, "%.*g", digits, value);
    if (digits == 17 || std::strtod(at, nullptr) == value) return at + size;
  }
  return at;
}

}  // namespace hloroof::internal::inline base

#endif
