// How many multiplications of a convolution along one spatial dimension meet an element of the input, rather than
// padding or a hole that dilation left.
#ifndef HLOROOF_LIB_COST_VALID_POSITIONS_H_
#define HLOROOF_LIB_COST_VALID_POSITIONS_H_

#include <cstdint>
#include <optional>

#include "hloroof/attribute_values.h"

namespace hloroof::inline v0 {

// The number of pairs (k, o) with 0 <= k < kernel and 0 <= o < output for which the position
//
//   u = o * stride - pad_low + k * window_dilation
//
// is a multiple of base_dilation and u / base_dilation lies in 0 .. input - 1. The high padding shows only in `output`.
//
// Takes time logarithmic in the sizes, so that the convolutions of 10^5 positions a side that stand for batched
// products cost nothing. Nothing if a size is negative, a stride or dilation below 1, or a number beyond 2^31.
std::optional<std::int64_t> valid_positions(std::int64_t kernel, std::int64_t output, std::int64_t input,
                                            const WindowDimension& window);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_VALID_POSITIONS_H_
