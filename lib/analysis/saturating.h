// Arithmetic on sizes from user text, which saturates at INT64_MAX. Operands must not be negative.
#ifndef HLOROOF_LIB_ANALYSIS_SATURATING_H_
#define HLOROOF_LIB_ANALYSIS_SATURATING_H_

#include <cstdint>
#include <limits>

namespace hloroof::internal::inline analysis {

inline constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

inline std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kSaturated : product;
}

inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kSaturated : sum;
}

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_SATURATING_H_
