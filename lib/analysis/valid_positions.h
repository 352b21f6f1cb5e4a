// Counts the multiplications of a convolution along one spatial dimension that use an element of the input, and not
// padding or a hole left by dilation.
#ifndef HLOROOF_LIB_ANALYSIS_VALID_POSITIONS_H_
#define HLOROOF_LIB_ANALYSIS_VALID_POSITIONS_H_

#include <cstdint>
#include <optional>

#include "hloroof/attributes.h"

namespace hloroof::internal::inline analysis {

// The number of pairs (k, o) with 0 <= k < kernel and 0 <= o < output for which the position
//
//   u = o * stride - pad_low + k * window_dilation
//
// is a multiple of base_dilation and u / base_dilation lies in 0 .. input - 1. The high padding shows only in `output`.
//
// Takes time logarithmic in the sizes, so that convolutions with 10^5 positions per dimension, which represent batched
// products, cost little. Returns nullopt if a size is negative, a stride or dilation is below 1, or a number exceeds
// 2^31.
std::optional<std::int64_t> valid_positions(std::int64_t kernel, std::int64_t output, std::int64_t input,
                                            const WindowDimension& window);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_VALID_POSITIONS_H_
