// Keeps the sections `accuracy` of data/hardware equal to the figures of the report.
#ifndef HLOROOF_TESTS_ACCURACY_DEVICE_ACCURACY_H_
#define HLOROOF_TESTS_ACCURACY_DEVICE_ACCURACY_H_

#include <string>
#include <string_view>
#include <vector>

#include "hloroof/device.h"
#include "tests/accuracy/figures.h"

namespace hloroof::internal {

// Replaces the section `accuracy` of a device file, which is its last member. Removes the section if `accuracy` is
// empty. `text` must end in "\n}\n".
std::string with_accuracy(std::string_view text, const std::vector<Accuracy>& accuracy);

// Rewrites the section of every built-in device in the folder. Returns false if a file cannot be read.
bool write_device_accuracy(const Report& report, const std::string& folder);

// Compares the accuracy of every built-in device with the report and prints what differs by more than rounding. Returns
// the number of devices that differ.
int check_device_accuracy(const Report& report);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_DEVICE_ACCURACY_H_
