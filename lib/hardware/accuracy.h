// Says how far to trust predictions for a device, by the measurements that they were compared with.
#ifndef HLOROOF_LIB_HARDWARE_ACCURACY_H_
#define HLOROOF_LIB_HARDWARE_ACCURACY_H_

#include <optional>
#include <string>

#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// Returns one line on the measurements of `what` on the device, or if there are none, on the most complete kind that it
// has. Without a label in front, it fits 80 columns for the built-in devices.
//
//   3 steps measured on tpu_v5e: held-back median error 1.3 %
//   none like it measured on h100_sxm; 13 kernels: held-back median error 5.1 %
//   tpu_v4_core: nothing measured; tpu_v4 is
//   tpu_v5e with changed numbers: nothing measured
//   gaudi3: nothing measured
std::string trust_text(const Device& device, std::optional<Measured> what);

// Returns the most complete kind for a column of 17 characters: "steps 1.3 %", "nothing".
std::string trust_cell(const Device& device);

// Returns a table of every kind, or a line that says that nothing was measured. Each line ends in a newline.
std::string describe_accuracy(const Device& device);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_ACCURACY_H_
