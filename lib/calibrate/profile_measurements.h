// The measured ops of a profile as measurements that numbers of a device can be fitted to.
#ifndef HLOROOF_LIB_CALIBRATE_PROFILE_MEASUREMENTS_H_
#define HLOROOF_LIB_CALIBRATE_PROFILE_MEASUREMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/calibrate/measurements.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline calibrate {

// A measurement for each op of the module that computes: the work of one execution, and the median of its self times.
// Leaves out what waits or transfers, and ops that contain others. Errors: InvalidArgument if the profile has fewer
// than 4 of them.
absl::StatusOr<std::vector<Measurement>> profile_measurements(const Module& module, const MeasuredProgram& program);

// The numbers of the device that these ops of a program determine. Selects greedily: each step
// adds the number that most reduces the error on held-back ops, at most one number for every three ops.
// Returns the one number that helps most if none does.
absl::StatusOr<std::vector<std::string>> program_parameters(const Device& device,
                                                            const std::vector<Measurement>& measurements);

}  // namespace hloroof::internal::inline calibrate

#endif  // HLOROOF_LIB_CALIBRATE_PROFILE_MEASUREMENTS_H_
