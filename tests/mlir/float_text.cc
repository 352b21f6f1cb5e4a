#include "tests/mlir/float_text.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hloroof::internal::mlir {
namespace {

enum class Special : std::uint8_t { kIeee, kAllOnes, kNegativeZero, kNone };

struct Format {
  int exponent = 0;  // bits
  int mantissa = 0;
  int bias = 0;
  bool has_sign = true;
  Special special = Special::kIeee;
};

std::optional<Format> format_of(TypeKind kind) {
  switch (kind) {
    case TypeKind::kF80:
    case TypeKind::kF128: return std::nullopt;
    default: break;
  }
  switch (kind) {
#define HLOROOF_MLIR_FLOAT(enumerator, code, name, exponent, mantissa, bias, sign, special) \
  case TypeKind::enumerator:                                                                \
    return Format{exponent, mantissa, bias, (sign) != 0, Special::special};
#include "lib/mlir/type_kinds.def"
    default: return std::nullopt;
  }
}

// The value of bits without sign. Does not consider special values.
double magnitude(const Format& format, std::uint64_t bits) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.mantissa) - 1);
  const auto exponent = static_cast<int>(bits >> format.mantissa);
  // A format without mantissa has no subnormal numbers and no zero.
  if (exponent == 0 && format.mantissa > 0) {
    return std::ldexp(static_cast<double>(fraction), 1 - format.bias - format.mantissa);
  }
  return std::ldexp(static_cast<double>(fraction | (std::uint64_t{1} << format.mantissa)),
                    exponent - format.bias - format.mantissa);
}

// Digits and a power of ten: the value is the digits, as an integer, times 10^exponent.
struct Decimal {
  std::string digits;  // most significant first
  int exponent = 0;
};

// The exact value of a positive double.
Decimal exact_decimal(double value) {
  char buffer[1100];
  std::snprintf(buffer, sizeof buffer, "%.1074e", value);
  Decimal out;
  const char* at = buffer;
  for (; *at != 'e'; ++at) {
    if (*at != '.') out.digits += *at;
  }
  out.exponent = std::atoi(at + 1) - static_cast<int>(out.digits.size() - 1);
  return out;
}

// As llvm::APFloat does: the integer that APFloat forms is first cut to the digits that fit some bits, and then
// rounded, halves up.
Decimal rounded(double value, unsigned precision) {
  Decimal out = exact_decimal(value);
  // APFloat's integer is the odd part of the significand times a power of 5 if the value is no integer.
  int binary_exponent = 0;
  double odd = std::frexp(value, &binary_exponent);
  while (odd != std::floor(odd)) {
    odd *= 2;
    --binary_exponent;
  }
  const int wanted_exponent = binary_exponent < 0 ? binary_exponent : 0;
  while (out.exponent < wanted_exponent) {
    out.digits.pop_back();
    ++out.exponent;
  }
  const long double bits_exact = std::log2(static_cast<long double>(value)) - wanted_exponent * std::log2(10.0L);
  const auto bits = static_cast<unsigned>(std::floor(bits_exact + 1e-12L)) + 1;
  const unsigned required = (precision * 196 + 58) / 59;
  if (bits > required) {
    const unsigned removable = (bits - required) * 59 / 196;
    out.digits.resize(out.digits.size() - removable);
    out.exponent += static_cast<int>(removable);
  }
  if (out.digits.size() > precision) {
    const bool up = out.digits[precision] >= '5';
    out.exponent += static_cast<int>(out.digits.size() - precision);
    out.digits.resize(precision);
    std::size_t at = precision;
    while (up && at > 0 && out.digits[at - 1] == '9') {
      out.digits.pop_back();
      ++out.exponent;
      --at;
    }
    if (up && at > 0) {
      ++out.digits[at - 1];
    } else if (up) {
      out.digits = "1";
    }
  }
  while (out.digits.size() > 1 && out.digits.back() == '0') {
    out.digits.pop_back();
    ++out.exponent;
  }
  return out;
}

// 1.500000e+00 if `is_padded`, else 1.5E+0.
std::string scientific(const Decimal& decimal, unsigned precision, bool is_padded) {
  const std::size_t n = decimal.digits.size();
  std::string out = decimal.digits.substr(0, 1) + ".";
  out += n == 1 && !is_padded ? "0" : decimal.digits.substr(1);
  if (is_padded && precision + 1 > n) out.append(precision + 1 - n, '0');
  const int exponent = decimal.exponent + static_cast<int>(n) - 1;
  out += is_padded ? 'e' : 'E';
  out += exponent < 0 ? '-' : '+';
  const std::string power = std::to_string(std::abs(exponent));
  if (is_padded && power.size() < 2) out += '0';
  return out + power;
}

// Positional notation for numbers near 1, else scientific.
std::string shortest_form(const Decimal& decimal, unsigned precision) {
  constexpr int kMaxPadding = 3;
  const int n = static_cast<int>(decimal.digits.size());
  const int leading = decimal.exponent + n - 1;  // the power of the first digit
  const bool is_scientific = decimal.exponent >= 0
                                 ? decimal.exponent > kMaxPadding || n + decimal.exponent > static_cast<int>(precision)
                                 : leading < 0 && -leading > kMaxPadding;
  if (is_scientific) return scientific(decimal, precision, false);
  if (decimal.exponent >= 0) return decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent), '0');
  if (leading >= 0) {
    const auto whole = static_cast<std::size_t>(leading + 1);
    return decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
  }
  return "0." + std::string(static_cast<std::size_t>(-leading - 1), '0') + decimal.digits;
}

// Whether `decimal` rounds to the number with these bits, halves to even.
bool determines(const Format& format, std::uint64_t bits, const std::string& decimal) {
  const double parsed = std::strtod(decimal.c_str(), nullptr);
  const double value = magnitude(format, bits);
  if (format.mantissa == 52 || parsed == value) return parsed == value;
  const double above = (value + magnitude(format, bits + 1)) / 2;
  const double below = bits == 0 ? value : (magnitude(format, bits - 1) + value) / 2;
  const bool is_even = (bits & 1U) == 0;
  return is_even ? below <= parsed && parsed <= above : below < parsed && parsed < above;
}

std::string hexadecimal(std::uint64_t bits) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%llX", static_cast<unsigned long long>(bits));
  return buffer;
}

}  // namespace

std::optional<double> float_value(TypeKind kind, std::uint64_t bits) {
  const std::optional<Format> format = format_of(kind);
  if (!format) return std::nullopt;
  const int width = format->exponent + format->mantissa;
  const std::uint64_t sign_bit = format->has_sign ? std::uint64_t{1} << width : 0;
  const std::uint64_t ones = (std::uint64_t{1} << width) - 1;
  const bool is_negative = (bits & sign_bit) != 0;
  bits &= ones;
  switch (format->special) {
    case Special::kIeee:
      if (bits >> format->mantissa == (std::uint64_t{1} << format->exponent) - 1) return std::nullopt;
      break;
    case Special::kAllOnes:
      if (bits == ones) return std::nullopt;
      break;
    case Special::kNegativeZero:
      if (is_negative && bits == 0) return std::nullopt;
      break;
    case Special::kNone: break;
  }
  const double value = magnitude(*format, bits);
  return is_negative ? -value : value;
}

std::string float_text(TypeKind kind, std::uint64_t bits) {
  constexpr unsigned kShort = 6;
  const std::optional<Format> format = format_of(kind);
  if (!format) return hexadecimal(bits);
  const int width = format->exponent + format->mantissa + (format->has_sign ? 1 : 0);
  if (width < 64) bits &= (std::uint64_t{1} << width) - 1;
  const std::optional<double> value = float_value(kind, bits);
  if (!value) return hexadecimal(bits);
  const std::string sign = std::signbit(*value) ? "-" : "";
  if (*value == 0) return sign + "0.000000e+00";
  const std::uint64_t unsigned_bits = format->has_sign ? bits & ((std::uint64_t{1} << (width - 1)) - 1) : bits;
  const double positive = std::fabs(*value);
  const std::string text = scientific(rounded(positive, kShort), kShort, true);
  if (determines(*format, unsigned_bits, text)) return sign + text;
  // APFloat counts the implicit bit of the significand.
  const unsigned precision = 2 + (static_cast<unsigned>(format->mantissa) + 1) * 59 / 196;
  const std::string longer = shortest_form(rounded(positive, precision), precision);
  return longer.find('.') != std::string::npos ? sign + longer : hexadecimal(bits);
}

}  // namespace hloroof::internal::mlir
