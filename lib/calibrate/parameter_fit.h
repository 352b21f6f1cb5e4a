// Fits numbers of a device to measured operations.
#ifndef HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_
#define HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "lib/calibrate/measurements.h"

namespace hloroof::internal::inline calibrate {

struct FittedParameter {
  std::string path;  // as for set_parameter()
  std::string unit;
  double before = 0;
  double after = 0;
  // The range of the value over fits that each leave out one fifth of the measurements; add_spread() sets it.
  double least = 0;
  double most = 0;
};

// The parameter at `path`, as for set_parameter(); nullopt if there is no such number.
std::optional<Parameter> parameter_of(const Device& device, std::string_view path);

// The parameters of the device that measurements of matmuls can determine.
std::vector<std::string> matmul_parameters(const Device& device);

// Fits the parameters at `paths` (at most 8, which the device must have) to `measurements`, and sets them with
// `source`. While the same resource bounds an operation, the model is linear in times and in the inverse of rates and
// shares. The fit takes Gauss-Newton steps; each is a nonnegative least-squares fit of relative errors with less weight
// for outliers. A parameter that the measurements do not determine keeps its value. Errors: NotFound for a path that
// the device does not have, InvalidArgument for too many paths or no measurements.
absl::StatusOr<std::vector<FittedParameter>> fit_parameters(Device& device,
                                                            const std::vector<Measurement>& measurements,
                                                            const std::vector<std::string>& paths,
                                                            const ParameterSource& source);

// Sets the spread of `fitted`, the result of fit_parameters() for a device that was `before` it. With fewer than 5
// measurements the spread is the value itself. Errors: those of fit_parameters().
absl::Status add_spread(const Device& before, const std::vector<Measurement>& measurements,
                        std::vector<FittedParameter>& fitted);

// Statistics of |predicted / measured - 1|.
struct FitError {
  double median = 0;
  double p90 = 0;
};
FitError fit_error(const std::vector<Measurement>& measurements, const Device& device);

}  // namespace hloroof::internal::inline calibrate

#endif  // HLOROOF_LIB_CALIBRATE_PARAMETER_FIT_H_
