// Fits numbers of a device to measured operations.
#ifndef HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_
#define HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/calibrate/measurements.h"

namespace hloroof::inline v0 {

struct FittedParameter {
  std::string path;  // as set_parameter() takes it
  std::string unit;
  double before = 0;
  double after = 0;
};

// The parameter at `path`, as set_parameter() takes it; nothing where a device has no such number.
std::optional<Parameter> parameter_of(const Device& device, std::string_view path);

// The parameters that matmuls can show of a device of this kind, where it has them.
std::vector<std::string> matmul_parameters(const Device& device);

// Finds the values of the parameters at `paths` (at most 8, known for the device) that bring the model closest to
// `measurements`, and sets them with `source`. The model is linear in times and in the inverse of rates and shares as
// long as the same resource bounds an operation: Gauss-Newton steps, each a non-negative least squares in relative
// errors, outliers counting less. A parameter that the measurements do not show keeps its value. Errors: NotFound for a
// path the device does not know, InvalidArgument for too many of them or no measurements.
absl::StatusOr<std::vector<FittedParameter>> fit_parameters(Device& device,
                                                            const std::vector<Measurement>& measurements,
                                                            const std::vector<std::string>& paths,
                                                            const ParameterSource& source);

// Of |predicted / measured - 1|.
struct FitError {
  double median = 0;
  double p90 = 0;
};
FitError fit_error(const std::vector<Measurement>& measurements, const Device& device);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_
