#include "lib/report/units.h"

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_format.h"

namespace hloroof::internal {
namespace {

// Formats `digits` significant digits, at least three, without an exponent. Expects values with one to four digits
// before the point.
std::string significant(double value, int digits) {
  const double size = std::abs(value);
  if (size >= 99.95) return absl::StrFormat("%.*f", digits - 3, value);
  if (size >= 9.995) return absl::StrFormat("%.*f", digits - 2, value);
  return absl::StrFormat("%.*f", digits - 1, value);
}

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

}  // namespace

std::string format_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size >= 0.9995) return three_digits(seconds) + " s";
  if (size >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  if (size >= 0.9995e-6) return three_digits(seconds * 1e6) + " us";
  return three_digits(seconds * 1e9) + " ns";
}

std::string format_bytes(double bytes) {
  static constexpr const char* kPrefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  return scaled(bytes, 1024, kPrefixes, 7, "B");
}

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

std::string format_count(double count) {
  if (std::abs(count) < 1e6 && count == std::floor(count)) return absl::StrFormat("%.0f", count);
  return absl::StrFormat("%.3g", count);
}

}  // namespace hloroof::internal
