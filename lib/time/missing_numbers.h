// Collects the device numbers that a formula needs and that the device file does not state.
#ifndef HLOROOF_LIB_TIME_MISSING_NUMBERS_H_
#define HLOROOF_LIB_TIME_MISSING_NUMBERS_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/types/span.h"
#include "hloroof/device.h"
#include "hloroof/shape.h"
#include "lib/hardware/device_facts.h"

namespace hloroof::internal::inline time {

// Holds the addresses of the first few missing numbers in the device; path_of() returns their names. It does not
// allocate, because one is in use for the time of every operation.
class MissingNumbers {
 public:
  bool empty() const { return count_ == 0; }
  absl::Span<const void* const> slots() const { return absl::Span<const void* const>(slots_.data(), count_); }

  void add(const void* slot) {
    if (count_ == slots_.size() ||
        std::find(slots_.begin(), slots_.begin() + count_, slot) != slots_.begin() + count_) {
      return;
    }
    slots_[count_++] = slot;
  }
  void add(const MissingNumbers& others) {
    for (const void* slot : others.slots()) add(slot);
  }

 private:
  std::array<const void*, 6> slots_ = {};
  std::size_t count_ = 0;
};

// Returns the number, or `otherwise` if it is none or unknown. Adds an unknown number to `missing`, unless that is
// null.
template <typename T>
T number_or(const Fact<T>& number, T otherwise, MissingNumbers* missing) {
  if (number.has_value()) return *number;
  if (is_unknown(number) && missing != nullptr) missing->add(&number);
  return otherwise;
}

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_MISSING_NUMBERS_H_
