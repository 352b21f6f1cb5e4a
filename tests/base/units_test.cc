// Numbers as people read them: with units, with separators, without exponents.
#include "lib/base/units.h"

#include <string>

#include "tests/catch.h"

namespace hloroof::internal {
namespace {

TEST_CASE("counts and numbers") {
  struct Case {
    std::string text;
    const char* expected;
  };
  const Case cases[] = {
      {format_others(1), "[1 other]"},
      {format_others(4620), "[4,620 others]"},
      {format_seconds(0), "0 s"},
      {format_seconds(3e-19), "0 s"},  // what is left of a sum of times
      {format_seconds(-4e-13), "0 s"},
      {format_seconds(4e-11), "0.04 ns"},
      {format_seconds_change(2e-16), "0 s"},
      {format_seconds_change(-2e-6), "-2.00 us"},
      {format_seconds_change(2e-6), "+2.00 us"},
      {format_count(0), "0"},
      {format_count(31), "31"},
      {format_count(999), "999"},
      {format_count(4620), "4,620"},
      {format_count(4617.3), "4,620"},
      {format_count(999.6), "1,000"},
      {format_count(1.5), "1.50"},
      {format_count(0.125), "0.125"},
      {format_count(999999), "999,999"},
      {format_count(1234567), "1.23 M"},
      {format_count(12345678), "12.3 M"},
      {format_count(-4620), "-4,620"},
      {format_integer(100), "100"},
      {format_integer(-100), "-100"},
      {format_integer(22424848384.0), "22,424,848,384"},
      {format_number(0.955), "0.955"},
      {format_number(0.5), "0.5"},
      {format_number(0.000123), "0.000123"},
      {format_number(2), "2"},
      {format_number(1.25), "1.25"},
      {format_number(0.9996), "1"},
      {format_number(3.9999), "4"},
      {format_number(12.34), "12.3"},
      {format_number(123.4), "123"},
  };
  for (const Case& c : cases) CHECK(c.text == c.expected);
}

TEST_CASE("quantities by the unit of the parameter") {
  struct Case {
    double value;
    const char* unit;
    const char* expected;
  };
  const Case cases[] = {
      {8.19e11, "B/s", "819 GB/s"},
      {16.0 * (1 << 30), "B", "16.0 GiB"},
      {1.97e14, "flop/s", "197 Tflop/s"},
      {9.4e8, "Hz", "940 MHz"},
      {1.1e-6, "s", "1.10 us"},
      {0.95, "1", "0.95"},
      {1, "cycle", "1 cycle"},
      {8, "cycle", "8 cycles"},
      {1, "bool", "yes"},
      {12, "B^0.5", "12 B^0.5"},
  };
  for (const Case& c : cases) CHECK(format_quantity(c.value, c.unit) == c.expected);
}

}  // namespace
}  // namespace hloroof::internal
