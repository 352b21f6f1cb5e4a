// A sum of seconds that does not depend on the order in which they were added.
//
// The replay of a computation is cut into steps whose durations depend only on the transfers in flight. If their sum is
// exact, the durations of steps that an edit leaves alone can be taken from the replay before it.
#ifndef HLOROOF_LIB_SCHEDULE_CLOCK_H_
#define HLOROOF_LIB_SCHEDULE_CLOCK_H_

#include <algorithm>
#include <cstdint>

#include "lib/schedule/demand.h"

namespace hloroof::internal::inline schedule {

class Clock {
 public:
  // Adds `seconds` of at least 0, to the last bit of any duration from 1e-14 s on. A clock that has come to kForever
  // stays there.
  void add(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::min(seconds, kForever));
    whole_ += whole;
    part_ += static_cast<Part>((std::min(seconds, kForever) - static_cast<double>(whole)) * kPartsPerSecond);
    carry();
  }
  double seconds() const { return static_cast<double>(whole_) + static_cast<double>(part_) / kPartsPerSecond; }
  bool is_saturated() const { return whole_ == kMost; }

  friend Clock operator+(Clock a, Clock b) {
    a.whole_ += b.whole_;
    a.part_ += b.part_;
    a.carry();
    return a;
  }
  // The first must be at least the second.
  friend Clock operator-(Clock a, Clock b) {
    a.whole_ -= b.whole_;
    a.part_ -= b.part_;
    if (a.part_ >= 0) return a;
    --a.whole_;
    a.part_ += kSecond;
    return a;
  }

 private:
  __extension__ using Part = __int128;
  static constexpr double kPartsPerSecond = 0x1p100;
  static constexpr Part kSecond = static_cast<Part>(1) << 100;
  static constexpr auto kMost = static_cast<std::int64_t>(kForever);

  void carry() {
    if (part_ >= kSecond) {
      part_ -= kSecond;
      ++whole_;
    }
    if (whole_ < kMost) return;
    whole_ = kMost;
    part_ = 0;
  }

  std::int64_t whole_ = 0;  // seconds
  Part part_ = 0;           // of a second, in units of 2^-100 s
};

static_assert(kForever < 0x1p62, "the sum of two clocks does not overflow");

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_CLOCK_H_
