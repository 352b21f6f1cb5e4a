// Says how far to trust predictions for a device, by the measurements that they were compared with.
#ifndef HLOROOF_LIB_HARDWARE_ACCURACY_H_
#define HLOROOF_LIB_HARDWARE_ACCURACY_H_

#include <string>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Returns one line on the most complete kind of measurement that the device has. Without a label in front, it fits 80
// columns for the built-in devices.
//
//   3 steps measured on tpu_v5e: held-back median error 1.3 %
//   13 kernels measured on h100_sxm: held-back median error 5.1 %; no step
//   tpu_v4_core: nothing measured; tpu_v4 is
//   tpu_v5e with changed numbers: nothing measured
//   gaudi3: nothing measured
std::string trust_text(const Device& device);

// Returns the same for a column of 17 characters: "steps 1.3 %", "nothing".
std::string trust_cell(const Device& device);

// Returns a table of every kind, or the line of trust_text() if nothing was measured. Each line ends in a newline.
std::string describe_accuracy(const Device& device);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_ACCURACY_H_
