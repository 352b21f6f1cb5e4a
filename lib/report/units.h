// Formats numbers with units for table columns, scaled so that three digits suffice. JSON and CSV do not use these
// functions.
#ifndef HLOROOF_LIB_REPORT_UNITS_H_
#define HLOROOF_LIB_REPORT_UNITS_H_

#include <string>

namespace hloroof::internal {

std::string format_seconds(double seconds);                    // "12.3 ms", "940 ns", "0 s"
std::string format_bytes(double bytes);                        // "1.44 GiB", "512 B": powers of 1024
std::string format_flops(double flops, int digits = 3);        // "17.6 Tflop": powers of 1000
std::string format_rate(double per_second, const char* unit);  // "819 GB/s": powers of 1000
std::string format_percent(double share);                      // 0.345: "34.5 %"
std::string format_count(double count);                        // "31", "1.2e+06"

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_UNITS_H_
