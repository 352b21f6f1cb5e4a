// Values for the numbers of a device, as users write them: "hbm.bandwidth=1.2e12", "hbm.bandwidth=0.5x,1x,2x".
#ifndef HLOROOF_LIB_HARDWARE_SETTINGS_H_
#define HLOROOF_LIB_HARDWARE_SETTINGS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"

namespace hloroof::internal::inline hardware {

// The values of one parameter. Each is a number in SI units or, followed by x, a multiple of the device's value.
struct Setting {
  struct Value {
    double number = 0;
    bool is_multiple = false;
  };
  std::string parameter;
  std::vector<Value> values;
};

// Reads one setting from each text. Errors: InvalidArgument that begins with `option`, as the user knows it ("--set"),
// if a text has another form or a parameter occurs twice.
absl::StatusOr<std::vector<Setting>> parse_settings(const std::vector<std::string>& texts, std::string_view option);

// One number for each setting, in the form of PredictOptions::set.
using Point = std::vector<std::pair<std::string, double>>;

// All combinations of the settings' values on `device`, the last setting varying fastest. Without settings there is one
// empty point. Errors: NotFound for a multiple of a value that the device lacks; InvalidArgument for too many points;
// for multiples, those of set_parameter().
absl::StatusOr<std::vector<Point>> points_of(const std::vector<Setting>& settings, const Device& device,
                                             std::string_view option);

}  // namespace hloroof::internal::inline hardware

#endif  // HLOROOF_LIB_HARDWARE_SETTINGS_H_
