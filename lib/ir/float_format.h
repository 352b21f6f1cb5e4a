// The floating-point formats of HLO, from 4 to 32 bits, and conversions from and to double.
#ifndef HLOROOF_LIB_IR_FLOAT_FORMAT_H_
#define HLOROOF_LIB_IR_FLOAT_FORMAT_H_

#include <cstdint>

#include "hloroof/shape.h"

namespace hloroof::internal::inline ir {

struct FloatFormat {
  enum class Specials : std::uint8_t {
    kIeee,          // infinities and NaNs with payloads, as in f32
    kFiniteAndNan,  // the largest encoding is the only NaN, as in f8e4m3fn
    kUnsignedZero,  // the encoding of -0 is the only NaN, as in f8e5m2fnuz
    kFinite,        // finite values only, as in f4e2m1fn
    kPowersOfTwo,   // neither a sign nor zero, as in f8e8m0fnu
  };
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Specials specials = Specials::kIeee;
};

// The format of a floating-point type. c64 and c128 have the format of their parts.
FloatFormat float_format(ElementType type);

// The bits of the nearest value, ties to even. Overflow gives infinity if the format has it, else NaN if the format has
// it, else the largest value.
std::uint64_t round_to_format(const FloatFormat& format, double value);

// The value that `bits` encode.
double value_of_bits(const FloatFormat& format, std::uint64_t bits);

double largest_finite(const FloatFormat& format);
double smallest_finite(const FloatFormat& format);  // the most negative value; for kPowersOfTwo the smallest

// The largest NaN payload; 0 if the format has only one NaN.
std::uint64_t largest_nan_payload(const FloatFormat& format);
// The NaN with this payload. Payload 0 is the default NaN.
std::uint64_t nan_bits(const FloatFormat& format, bool negative, std::uint64_t payload);

}  // namespace hloroof::internal::inline ir

#endif  // HLOROOF_LIB_IR_FLOAT_FORMAT_H_
