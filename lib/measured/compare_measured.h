// What an xplane file adds to a comparison: layers, waits, gaps and devices.
#ifndef HLOROOF_LIB_MEASURED_COMPARE_MEASURED_H_
#define HLOROOF_LIB_MEASURED_COMPARE_MEASURED_H_

#include <string>

#include "absl/status/status.h"
#include "lib/measured/compare.h"

namespace hloroof::internal::inline measured {

// Errors: InvalidArgument if the profile was taken on another backend than that of the module or of the device.
absl::Status check_backend(const StepPrediction& prediction, const MeasuredProfile& profile);

// Fills in the members of `comparison` that only an xplane file has; does nothing for other profiles. Errors:
// InvalidArgument if most of the time is in ops that the module does not have.
absl::Status add_measured(const StepPrediction& prediction, const MeasuredProfile& profile,
                          const MeasuredProgram& program, ProfileComparison& comparison);

// Lines of the summary, and the tables below that of the ops. Both are empty for other profiles.
std::string measured_lines(const StepPrediction& prediction, const ProfileComparison& comparison);
std::string measured_sections(const StepPrediction& prediction, const ProfileComparison& comparison,
                              const CompareOptions& options);

}  // namespace hloroof::internal::inline measured

#endif  // HLOROOF_LIB_MEASURED_COMPARE_MEASURED_H_
