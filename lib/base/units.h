// Formats numbers for people, scaled so that three digits suffice and without exponents. JSON and CSV do not use these
// functions.
#ifndef HLOROOF_LIB_BASE_UNITS_H_
#define HLOROOF_LIB_BASE_UNITS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace hloroof::internal::inline base {

std::string format_seconds(double seconds);         // "12.3 ms", "940 ns", "0 s"
std::string format_seconds_change(double seconds);  // "+12.3 ms", "-940 ns", "0 s"
std::string format_bytes(double bytes);             // "1.44 GiB", "512 B": powers of 1024
std::string format_memory(double bytes);  // "15.75 GiB": the peak may differ from what is usable in the fourth digit
std::string format_flops(double flops, int digits = 3);        // "17.6 Tflop": powers of 1000
std::string format_rate(double per_second, const char* unit);  // "819 GB/s": powers of 1000
std::string format_percent(double share);                      // 0.345: "34.5 %"
std::string format_count(double count);        // "31", "4,620", "12.3 M": whole numbers below 1e6 exactly
std::string format_others(std::size_t count);  // "[1 other]", "[4,620 others]": a row for those that are not shown
std::string format_integer(double number);     // "22,424,848,384": all digits
std::string format_number(double number);      // "0.955", "0.00012", "1.5": at most three digits

// A number in the unit that a device parameter or a term has: "B", "B/s", "flop/s", "op/s", "Hz", "W", "s", "1", or a
// noun in the singular, such as "cycle".
std::string format_quantity(double value, std::string_view unit);

}  // namespace hloroof::internal::inline base

#endif  // HLOROOF_LIB_BASE_UNITS_H_
