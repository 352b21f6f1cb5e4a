// The floating-point formats of HLO, from 4 to 32 bits: rounding a double to one and back.
#ifndef HLOROOF_LIB_IR_FLOAT_FORMAT_H_
#define HLOROOF_LIB_IR_FLOAT_FORMAT_H_

#include <cstdint>

#include "hloroof/element_type.h"

namespace hloroof::inline v0 {

struct FloatFormat {
  enum class Specials : std::uint8_t {
    kIeee,          // infinities and NaNs with payloads, as in f32
    kFiniteAndNan,  // the largest encoding is the one NaN, as in f8e4m3fn
    kUnsignedZero,  // the encoding of -0 is the one NaN, as in f8e5m2fnuz
    kFinite,        // finite values only, as in f4e2m1fn
    kPowersOfTwo,   // no sign and no zero, as in f8e8m0fnu
  };
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Specials specials = Specials::kIeee;
};

// Of a floating-point type; of c64 and c128, that of their parts.
FloatFormat float_format(ElementType type);

// The nearest value of the format, ties to even, as its bits. What overflows becomes an infinity if the format has one,
// else NaN, else the largest value.
std::uint64_t round_to_format(const FloatFormat& format, double value);

// The value of bits of the format.
double value_of_bits(const FloatFormat& format, std::uint64_t bits);

double largest_finite(const FloatFormat& format);
double smallest_finite(const FloatFormat& format);  // the most negative; of kPowersOfTwo the least

// The largest NaN payload that fits: 0 where there is but one NaN.
std::uint64_t largest_nan_payload(const FloatFormat& format);
// A NaN with this payload, 0 for the default one.
std::uint64_t nan_bits(const FloatFormat& format, bool negative, std::uint64_t payload);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_IR_FLOAT_FORMAT_H_
