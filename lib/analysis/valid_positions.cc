// Counting the pairs one by one takes kernel * output steps. This file counts them as the points of a lattice under a
// line. With w = window_dilation, s = stride, p = pad_low and d = base_dilation,
//
//   V = N(p + (input - 1) * d) - N(p - 1),   N(t) = #{(k, o) : s*o + w*k <= t, s*o + w*k = p (mod d)}.
//
// The k that have any solution form an arithmetic progression, and so do the o of each such k. N is therefore a sum of
// floor((a*j + b) / m) over j, which Euclid's algorithm computes in logarithmic time.
#include "lib/analysis/valid_positions.h"

#include <algorithm>
#include <numeric>

namespace hloroof::internal::inline analysis {
namespace {

// All inputs are at most 2^31. Products of two of them, and of such a product with a count, remain below 2^127.
__extension__ using Wide = __int128;

constexpr std::int64_t kLimit = std::int64_t{1} << 31;

Wide floor_divide(Wide a, Wide b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
Wide floor_modulo(Wide a, Wide b) { return a - floor_divide(a, b) * b; }

// The sum over i = 0 .. n-1 of floor((a*i + b) / m), for m > 0 and any signs of a and b.
Wide floor_sum(Wide n, Wide m, Wide a, Wide b) {
  Wide sum = 0;
  while (n > 0) {
    // Adds the integer parts of both terms, after which 0 <= a, b < m.
    sum += n * (n - 1) / 2 * floor_divide(a, m) + n * floor_divide(b, m);
    a = floor_modulo(a, m);
    b = floor_modulo(b, m);
    const Wide top = a * n + b;
    if (top < m) break;
    // Counts the points under the line along the other axis.
    n = floor_divide(top, m);
    b = floor_modulo(top, m);
    std::swap(a, m);
  }
  return sum;
}

// Returns x with a*x = 1 (mod m), for coprime a and m; 0 if m is 1.
Wide inverse_modulo(Wide a, Wide m) {
  Wide r0 = m, r1 = floor_modulo(a, m), x0 = 0, x1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    r0 -= q * r1;
    std::swap(r0, r1);
    x0 -= q * x1;
    std::swap(x0, x1);
  }
  return floor_modulo(x0, m);
}

// The pairs (k, o) in [0, kernel) x [0, output) with s*o + w*k = residue (mod d), and their number below a line.
class Lattice {
 public:
  Lattice(Wide kernel, Wide output, Wide stride, Wide window_dilation, Wide base_dilation, Wide residue)
      : output_(output), s_(stride), w_(window_dilation) {
    const Wide g = std::gcd(static_cast<std::int64_t>(s_), static_cast<std::int64_t>(base_dilation));
    const Wide h = std::gcd(static_cast<std::int64_t>(w_), static_cast<std::int64_t>(g));
    if (floor_modulo(residue, h) != 0) return;  // no k has a solution
    // w*k = residue (mod g), so k = first_ + step_ * j.
    step_ = g / h;
    first_ = floor_modulo(floor_divide(residue, h) * inverse_modulo(w_ / h, step_), step_);
    if (first_ >= kernel) return;
    count_ = (kernel - 1 - first_) / step_ + 1;
    // s*o = residue - w*k (mod d), so o = r_j (mod period_) with r_j = r0_ - drift_ * j (mod period_).
    period_ = base_dilation / g;
    const Wide inverse = inverse_modulo(s_ / g, period_);
    r0_ = floor_modulo(floor_divide(residue - w_ * first_, g) * inverse, period_);
    drift_ = floor_modulo(w_ / h * inverse, period_);
  }

  // The number of pairs with s*o + w*k <= t.
  Wide below(Wide t) const {
    if (count_ == 0 || t < 0) return 0;
    const Wide whole = columns(t - s_ * (output_ - 1));  // all o of these k lie below the line
    const Wide any = columns(t);
    // In a column whose largest o is u there are floor((u - r_j) / period) + 1 of them, and
    // floor((u - r_j) / period) = floor((u - r0 + drift*j) / period) + floor((r0 - drift*j) / period).
    Wide n = any + floor_sum(any, period_, -drift_, r0_);
    n += floor_sum(whole, period_, drift_, output_ - 1 - r0_);
    // Beyond `whole` the largest o is floor((t - w*k) / s).
    const Wide slope = s_ * drift_ - w_ * step_;
    const Wide start = t - w_ * first_ - s_ * r0_ + slope * whole;
    return n + floor_sum(any - whole, s_ * period_, slope, start);
  }

 private:
  // The number of k in the progression with w*k <= limit.
  Wide columns(Wide limit) const {
    if (limit < 0 || limit / w_ < first_) return 0;
    return std::min(count_, (limit / w_ - first_) / step_ + 1);
  }

  Wide output_, s_, w_;
  Wide first_ = 0, step_ = 1, count_ = 0;
  Wide period_ = 1, r0_ = 0, drift_ = 0;
};

}  // namespace

std::optional<std::int64_t> valid_positions(std::int64_t kernel, std::int64_t output, std::int64_t input,
                                            const WindowDimension& window) {
  const auto in_range = [](std::int64_t low, std::int64_t value) { return value >= low && value <= kLimit; };
  if (!in_range(0, kernel) || !in_range(0, output) || !in_range(0, input) || !in_range(1, window.stride) ||
      !in_range(1, window.base_dilation) || !in_range(1, window.window_dilation) ||
      !in_range(-kLimit, window.pad_low)) {
    return std::nullopt;
  }
  if (kernel == 0 || output == 0 || input == 0) return 0;
  const Lattice lattice(kernel, output, window.stride, window.window_dilation, window.base_dilation, window.pad_low);
  const Wide low = window.pad_low;
  const Wide high = low + static_cast<Wide>(input - 1) * window.base_dilation;
  return static_cast<std::int64_t>(lattice.below(high) - lattice.below(low - 1));
}

}  // namespace hloroof::internal::inline analysis
