// Numbers of a device that a formula asked for and the device file does not state.
#ifndef HLOROOF_LIB_COST_MISSING_NUMBERS_H_
#define HLOROOF_LIB_COST_MISSING_NUMBERS_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "hloroof/device.h"
#include "hloroof/span.h"

namespace hloroof::inline v0 {

// Holds the first few, by where they lie in the device: path_of() gives their names. It allocates nothing, since the
// time of every operation is worked out with one.
class MissingNumbers {
 public:
  bool empty() const { return count_ == 0; }
  Span<const void* const> slots() const { return Span<const void* const>(slots_.data(), count_); }

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

// The number; `otherwise` where it is none, and where it is unknown, which `missing`, unless null, then remembers.
template <typename T>
T number_or(const Fact<T>& number, T otherwise, MissingNumbers* missing) {
  if (number.has_value()) return *number;
  if (number.is_unknown() && missing != nullptr) missing->add(&number);
  return otherwise;
}

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_MISSING_NUMBERS_H_
