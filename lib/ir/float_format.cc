#include "lib/ir/float_format.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace hloroof::internal::inline ir {
namespace {

using Specials = FloatFormat::Specials;

std::uint64_t all_ones(int bits) { return (std::uint64_t{1} << bits) - 1; }

int width(const FloatFormat& f) { return f.exponent_bits + f.mantissa_bits; }  // excludes the sign

// The bits of the largest finite magnitude.
std::uint64_t largest_bits(const FloatFormat& f) {
  switch (f.specials) {
    case Specials::kIeee: return (all_ones(f.exponent_bits) << f.mantissa_bits) - 1;
    case Specials::kFiniteAndNan:
    case Specials::kPowersOfTwo: return all_ones(width(f)) - 1;
    case Specials::kUnsignedZero:
    case Specials::kFinite: break;
  }
  return all_ones(width(f));
}

}  // namespace

// Source of the formats: openxla/xla xla/primitive_util.h and the ml_dtypes it uses; Open Compute Project, OCP
// Microscaling Formats (MX) Specification v1.0, 2023, for f4, f6 and f8e8m0.
FloatFormat float_format(ElementType type) {
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128: return {11, 52, 1023, Specials::kIeee};
    case ElementType::kBf16: return {8, 7, 127, Specials::kIeee};
    case ElementType::kF16: return {5, 10, 15, Specials::kIeee};
    case ElementType::kF8e5m2: return {5, 2, 15, Specials::kIeee};
    case ElementType::kF8e4m3: return {4, 3, 7, Specials::kIeee};
    case ElementType::kF8e3m4: return {3, 4, 3, Specials::kIeee};
    case ElementType::kF8e4m3fn: return {4, 3, 7, Specials::kFiniteAndNan};
    case ElementType::kF8e4m3b11fnuz: return {4, 3, 11, Specials::kUnsignedZero};
    case ElementType::kF8e4m3fnuz: return {4, 3, 8, Specials::kUnsignedZero};
    case ElementType::kF8e5m2fnuz: return {5, 2, 16, Specials::kUnsignedZero};
    case ElementType::kF8e8m0fnu: return {8, 0, 127, Specials::kPowersOfTwo};
    case ElementType::kF4e2m1fn: return {2, 1, 1, Specials::kFinite};
    case ElementType::kF6e3m2fn: return {3, 2, 3, Specials::kFinite};
    case ElementType::kF6e2m3fn: return {2, 3, 1, Specials::kFinite};
    default: return {8, 23, 127, Specials::kIeee};
  }
}

std::uint64_t round_to_format(const FloatFormat& f, double value) {
  if (f.mantissa_bits == 52) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  // XLA converts to f16 and bf16 through f32, which rounds twice.
  if (f.specials == Specials::kIeee && (f.mantissa_bits == 10 || f.mantissa_bits == 7))
    value = static_cast<float>(value);
  const bool negative = std::signbit(value);
  const std::uint64_t sign = negative ? std::uint64_t{1} << width(f) : 0;
  if (std::isnan(value)) return nan_bits(f, negative, 0);
  const double magnitude = std::abs(value);
  std::uint64_t bits = all_ones(width(f));  // larger than the largest value of every format that does not saturate
  bool overflow = std::isinf(value);
  if (f.specials == Specials::kPowersOfTwo && (negative || magnitude == 0)) return all_ones(width(f));
  if (!overflow && magnitude != 0) {
    // Subnormals: below the smallest normal exponent the spacing of values is constant.
    const int least = f.specials == Specials::kPowersOfTwo ? -f.bias : 1 - f.bias;
    const int exponent = std::max(std::ilogb(magnitude), least);
    const double units = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
    const std::int64_t implicit_bit = std::int64_t{1} << f.mantissa_bits;
    // A count of 2^(mantissa+1) units carries into the exponent, and a count below 2^mantissa leaves the exponent 0.
    const std::int64_t composed =
        (static_cast<std::int64_t>(exponent - least + (f.specials == Specials::kPowersOfTwo ? 0 : 1))
         << f.mantissa_bits) +
        static_cast<std::int64_t>(units) - implicit_bit;
    bits = composed < 0 ? 0 : static_cast<std::uint64_t>(composed);
    overflow = bits > largest_bits(f);
  } else if (magnitude == 0) {
    bits = 0;
  }
  if (overflow) {
    switch (f.specials) {
      case Specials::kIeee: return sign | (all_ones(f.exponent_bits) << f.mantissa_bits);
      case Specials::kFinite: return sign | largest_bits(f);
      default: return nan_bits(f, negative, 0);
    }
  }
  if (f.specials == Specials::kUnsignedZero && bits == 0) return 0;
  return sign | bits;
}

double value_of_bits(const FloatFormat& f, std::uint64_t bits) {
  if (f.mantissa_bits == 52) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t magnitude = bits & all_ones(width(f));
  const bool negative = f.specials != Specials::kPowersOfTwo && magnitude != bits;
  if (f.specials == Specials::kUnsignedZero && negative && magnitude == 0) return kNan;
  if (magnitude > largest_bits(f)) {
    const bool infinite = f.specials == Specials::kIeee && magnitude == all_ones(f.exponent_bits) << f.mantissa_bits;
    const double special = infinite ? std::numeric_limits<double>::infinity() : kNan;
    return negative ? -special : special;
  }
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const auto mantissa = static_cast<double>(magnitude & all_ones(f.mantissa_bits));
  double value = 0;
  if (f.specials == Specials::kPowersOfTwo) {
    value = std::ldexp(1.0, exponent - f.bias);
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + std::ldexp(1.0, f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  }
  return negative ? -value : value;
}

double largest_finite(const FloatFormat& f) { return value_of_bits(f, largest_bits(f)); }

double smallest_finite(const FloatFormat& f) {
  return f.specials == Specials::kPowersOfTwo ? value_of_bits(f, 0) : -largest_finite(f);
}

std::uint64_t largest_nan_payload(const FloatFormat& f) {
  return f.specials == Specials::kIeee ? all_ones(f.mantissa_bits) : 0;
}

std::uint64_t nan_bits(const FloatFormat& f, bool negative, std::uint64_t payload) {
  const std::uint64_t sign = std::uint64_t{1} << width(f);
  switch (f.specials) {
    case Specials::kIeee: {
      const std::uint64_t quiet = std::uint64_t{1} << (f.mantissa_bits - 1);
      return (negative ? sign : 0) | (all_ones(f.exponent_bits) << f.mantissa_bits) | (payload == 0 ? quiet : payload);
    }
    case Specials::kFiniteAndNan: return (negative ? sign : 0) | all_ones(width(f));
    case Specials::kUnsignedZero: return sign;
    case Specials::kPowersOfTwo: return all_ones(width(f));
    case Specials::kFinite: break;
  }
  return sign;  // the format has no NaN; XLA stores -0
}

}  // namespace hloroof::internal::inline ir
