// Which way the numbers of a device are better: more of a rate, less of a latency.
#ifndef HLOROOF_LIB_HARDWARE_BETTER_NUMBER_H_
#define HLOROOF_LIB_HARDWARE_BETTER_NUMBER_H_

#include <optional>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Returns the value of a better device: `factor` times as much of a rate or an efficiency, an efficiency being at most
// 1, and 1/`factor` of a latency, of cycles or of the cost of an operation. nullopt if the value is not known, if no
// prediction reads it, or if neither more nor less is better, as of sizes and counts, which say how the machine divides
// its work.
std::optional<double> better_number(const Parameter& parameter, double factor);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_BETTER_NUMBER_H_
