// A sum of seconds that does not depend on the order in which they were added.
//
// The replay of a computation is cut into steps whose durations depend only on the transfers in flight. If their sum is
// exact, the durations of steps that an edit leaves alone can be taken from the replay before it.
#ifndef HLOROOF_LIB_SCHEDULE_CLOCK_H_
#define HLOROOF_LIB_SCHEDULE_CLOCK_H_

#include <algorithm>

#include "lib/schedule/demand.h"

namespace hloroof::internal::inline schedule {

class Clock {
 public:
  // Adds `seconds` of at least 0 in whole units of 2^-80 s: to the last bit from 4 ns on, which no operation falls
  // short of. Saturates after a million years, and then shows kForever.
  void add(double seconds) {
    units_ = std::min(kMost, units_ + static_cast<Units>(std::min(seconds, kMostSeconds) * kUnitsPerSecond));
  }
  double seconds() const { return is_saturated() ? kForever : static_cast<double>(units_) / kUnitsPerSecond; }
  bool is_saturated() const { return units_ == kMost; }

  friend Clock operator+(Clock a, Clock b) { return Clock(std::min(kMost, a.units_ + b.units_)); }
  friend Clock operator-(Clock a, Clock b) { return Clock(a.units_ - b.units_); }

  Clock() = default;

 private:
  __extension__ using Units = __int128;
  static constexpr double kUnitsPerSecond = 0x1p80;
  static constexpr Units kMost = static_cast<Units>(1) << 125;  // so that the sum of two does not overflow
  static constexpr double kMostSeconds = 0x1p45;

  explicit Clock(Units units) : units_(units) {}

  Units units_ = 0;
};

static_assert(0x1p45 < kForever, "a clock that has not saturated shows a valid step");

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_CLOCK_H_
