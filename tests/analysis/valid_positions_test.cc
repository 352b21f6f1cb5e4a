#include "lib/analysis/valid_positions.h"

#include <cstdint>
#include <optional>
#include <random>

#include "tests/catch.h"

namespace {

using hloroof::WindowDimension;
using hloroof::internal::valid_positions;

// The definition, pair by pair.
std::int64_t count_pairs(std::int64_t kernel, std::int64_t output, std::int64_t input, const WindowDimension& w) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < kernel; ++k) {
    for (std::int64_t o = 0; o < output; ++o) {
      const std::int64_t u = o * w.stride - w.pad_low + k * w.window_dilation;
      if (u < 0 || u % w.base_dilation != 0) continue;
      if (u / w.base_dilation < input) ++count;
    }
  }
  return count;
}

WindowDimension window(std::int64_t stride, std::int64_t pad_low, std::int64_t base, std::int64_t dilation) {
  WindowDimension w;
  w.stride = stride;
  w.pad_low = pad_low;
  w.base_dilation = base;
  w.window_dilation = dilation;
  return w;
}

TEST_CASE("valid positions equal the count pair by pair") {
  std::mt19937 random(20261121);
  const auto draw = [&random](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 100000; ++i) {
    const int kernel = draw(0, 9), output = draw(0, 9), input = draw(0, 9);
    const WindowDimension w = window(draw(1, 7), draw(-15, 15), draw(1, 7), draw(1, 7));
    const std::optional<std::int64_t> counted = valid_positions(kernel, output, input, w);
    if (counted == count_pairs(kernel, output, input, w)) continue;
    CAPTURE(kernel, output, input, w.stride, w.pad_low, w.base_dilation, w.window_dilation);
    CHECK(counted == count_pairs(kernel, output, input, w));
    break;
  }
}

TEST_CASE("valid positions of windows as large as the array") {
  const std::int64_t n = 512 * 1024;
  // A batched product written as a convolution: one position a batch element.
  CHECK(valid_positions(n, n, n, window(n - 1, 0, n, 1)) == n);
  CHECK(valid_positions(n, n, 1, window(1, n - 1, 1, 1)) == n);
  // A prefix sum: 1 + 2 + ... + n.
  CHECK(valid_positions(n, n, n, window(1, n - 1, 1, 1)) == n * (n + 1) / 2);
  const std::int64_t huge = std::int64_t{1} << 31;
  CHECK(valid_positions(huge, huge, huge, window(1, huge - 1, 1, 1)) == huge / 2 * (huge + 1));
}

TEST_CASE("valid positions refuse what is no window") {
  CHECK_FALSE(valid_positions(-1, 3, 3, window(1, 0, 1, 1)).has_value());
  CHECK_FALSE(valid_positions(3, 3, 3, window(0, 0, 1, 1)).has_value());
  CHECK_FALSE(valid_positions(3, 3, 3, window(1, 0, 0, 1)).has_value());
  CHECK_FALSE(valid_positions(3, 3, 3, window(1, 0, 1, 0)).has_value());
  CHECK_FALSE(valid_positions(3, 3, (std::int64_t{1} << 31) + 1, window(1, 0, 1, 1)).has_value());
}

}  // namespace
