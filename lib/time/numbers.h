// Gives a time formula the numbers of a device. Keeps the numbers that the formula asks for and the device file does
// not state. With Traced, each number carries its path in the device file.
#ifndef HLOROOF_LIB_TIME_NUMBERS_H_
#define HLOROOF_LIB_TIME_NUMBERS_H_

#include <concepts>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "hloroof/device.h"
#include "lib/hardware/device_facts.h"
#include "lib/hardware/device_fields.h"
#include "lib/time/missing_numbers.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {

// Returns the field of a number, a member of `device`; null if there is none. Faster than path_of().
const DeviceField* field_of(const void* number, const Device& device);

// A factor of `number`, with the paths of the device's numbers in `from`.
Factor computed_factor(double number, std::string_view unit, std::initializer_list<const Traced*> from);

template <class Num>
class Numbers {
 public:
  // `missing` may be null. The device must outlive this object, and the numbers passed to the functions below must be
  // its members.
  explicit Numbers(const Device& device, MissingNumbers* missing = nullptr) : device_(&device), missing_(missing) {}

  const Device& device() const { return *device_; }
  MissingNumbers* missing() const { return missing_; }

  // `amount` of what the program does, in `unit`.
  Num amount(std::string_view name, double amount, std::string_view unit) const {
    if constexpr (std::same_as<Num, double>) {
      return amount;
    } else {
      Term term;
      term.name = name;
      term.seconds = term.amount = amount;
      term.unit = unit;
      return Traced(std::move(term));
    }
  }

  // A number that every device has.
  template <class T>
  requires std::is_arithmetic_v<T> Num at(const T& number)
  const { return at(static_cast<double>(number), &number); }
  // The known number at the address `slot`, a member of the device.
  Num at(double number, const void* slot) const {
    if constexpr (std::same_as<Num, double>) {
      return number;
    } else {
      const DeviceField* const field = field_of(slot, *device_);
      return field == nullptr ? Traced(number) : Traced(Factor{number, field->unit, false, {field->path}});
    }
  }

  // Whether the device has the number. Notes that an unknown number is missing.
  template <class T>
  bool has(const Fact<T>& number) const {
    if (is_unknown(number) && missing_ != nullptr) missing_->add(&number);
    return number.has_value();
  }
  // Returns the number, or `otherwise` if it is none or unknown. Notes that an unknown number is missing.
  Num known_or(const Fact<double>& number, const Num& otherwise) const {
    return has(number) ? at(*number, &number) : otherwise;
  }

  // A number in `unit` that a formula computed from the numbers `from`.
  template <class... From>
  Num computed(double number, std::string_view unit, const From&... from) const {
    if constexpr (std::same_as<Num, double>) {
      return number;
    } else {
      return number == 1 ? Traced(number) : Traced(computed_factor(number, unit, {&from...}));
    }
  }

  // The cores of one device, which work at once.
  Num cores() const {
    const double count = core_count(*device_);
    if constexpr (std::same_as<Num, double>) {
      return count;
    } else {
      return computed(count, "1", at(device_->cores_per_chip), at(device_->devices_per_chip));
    }
  }
  Num clock() const { return at(*device_->clock, &device_->clock); }

 private:
  const Device* device_;
  MissingNumbers* missing_;
};

// Adds the missing numbers to the note of a term that was computed without them.
void note_missing(const MissingNumbers& missing, const Device& device, Term& term);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_NUMBERS_H_
