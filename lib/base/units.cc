#include "lib/base/units.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hloroof::internal::inline base {
namespace {

// Formats `digits` significant digits, at least three, without an exponent. Expects values with one to four digits
// before the point.
std::string significant(double value, int digits) {
  const double size = std::abs(value);
  if (size >= 99.95) return absl::StrFormat("%.*f", digits - 3, value);
  if (size >= 9.995) return absl::StrFormat("%.*f", digits - 2, value);
  return absl::StrFormat("%.*f", digits - 1, value);
}

constexpr const char* kBinaryPrefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string three_digits(double value) { return significant(value, 3); }

std::string scaled(double value, double base, const char* const* prefixes, int count, const char* unit,
                   int digits = 3) {
  int i = 0;
  double shown = value;
  while (i + 1 < count && std::abs(shown) >= base * 0.9995) {
    shown /= base;
    ++i;
  }
  if (i == 0 && shown == std::floor(shown)) return absl::StrFormat("%.0f %s%s", shown, prefixes[0], unit);
  return significant(shown, digits) + " " + prefixes[i] + unit;
}

// At most three digits, behind the zeros of a small number.
std::string digits_of(double number) {
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(std::abs(number)))), 0, 12);
  std::string text = absl::StrFormat("%.*f", digits, number);
  if (digits == 0) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string format_seconds(double seconds) {
  constexpr double kResidue = 1e-12;  // less is what is left of a sum of times: no instruction is that short
  const double size = std::abs(seconds);
  if (size < kResidue) return "0 s";
  if (size >= 0.9995) return three_digits(seconds) + " s";
  if (size >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  return three_digits(seconds * 1e9) + " ns";
}

std::string format_seconds_change(double seconds) {
  const std::string text = format_seconds(seconds);
  return (seconds > 0 && text != format_seconds(0) ? "+" : "") + text;
}

std::string format_bytes(double bytes) { return scaled(bytes, 1024, kBinaryPrefixes, 7, "B"); }

std::string format_memory(double bytes) { return scaled(bytes, 1024, kBinaryPrefixes, 7, "B", 4); }

std::string format_flops(double flops, int digits) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(flops, 1000, kPrefixes, 7, "flop", digits);
}

std::string format_rate(double per_second, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return scaled(per_second, 1000, kPrefixes, 7, unit);
}

std::string format_percent(double share) {
  if (share == 0) return "0 %";
  return absl::StrFormat("%.1f %%", 100 * share);
}

std::string format_integer(double number) {
  std::string text = absl::StrFormat("%.0f", number);
  if (!std::isfinite(number)) return text;
  const std::size_t first = number < 0 ? 2 : 1;  // no comma before the first digit
  for (std::size_t at = text.size(); at > first + 2;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string format_others(std::size_t count) {
  return absl::StrCat("[", format_integer(static_cast<double>(count)), count == 1 ? " other]" : " others]");
}

std::string format_count(double count) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  constexpr double kMost = 999'999.5;  // more digits are hard to read
  const double size = std::abs(count);
  if (!(size < kMost)) return scaled(count, 1000, kPrefixes, 7, "");
  if (count == std::floor(count)) return format_integer(count);
  if (size < 0.9995) return digits_of(count);
  if (size < 999.5) return three_digits(count);
  const double step = std::pow(10, std::floor(std::log10(size)) - 2);
  return format_integer(std::round(count / step) * step);
}

std::string format_number(double number) {
  return number == std::floor(number) || !(std::abs(number) < 999.5) ? format_count(number) : digits_of(number);
}

std::string format_quantity(double value, std::string_view unit) {
  if (unit == "B") return format_bytes(value);
  if (unit == "s") return format_seconds(value);
  if (unit == "bool") return value != 0 ? "yes" : "no";
  if (unit.empty() || unit == "1") return format_number(value);
  for (const char* scaled_unit : {"flop/s", "op/s", "B/s", "Hz", "W"}) {
    if (unit == scaled_unit) return format_rate(value, scaled_unit);
  }
  const bool is_noun = std::all_of(unit.begin(), unit.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == ' '; });
  return format_number(value) + " " + std::string(unit) + (is_noun && value != 1 ? "s" : "");
}

}  // namespace hloroof::internal::inline base
