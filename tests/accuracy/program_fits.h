// The constants in data/hardware that are fitted to whole programs: what to, and what the fit finds.
#ifndef HLOROOF_TESTS_ACCURACY_PROGRAM_FITS_H_
#define HLOROOF_TESTS_ACCURACY_PROGRAM_FITS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/calibrate/parameter_fit.h"

namespace hloroof::internal {

struct MeasuredProgram {
  std::string what;
  Module module;
  double seconds = 0;
};

struct ProgramFit {
  std::string target;              // as find_target() takes it
  std::vector<std::string> paths;  // of the parameters
  std::vector<MeasuredProgram> fitted;
  std::vector<MeasuredProgram> held_back;
};

// One for every observed case that a parameter is fitted to, for the steps of steps/ and for the kernels of kernels/.
absl::StatusOr<std::vector<ProgramFit>> program_fits();

// Finds the values that bring the step times of `fit.fitted` closest to what was measured, rows far off counting less
// as in fit_nonnegative(), and sets them on `target`, of which everything else stays as it is.
absl::StatusOr<std::vector<FittedParameter>> fit_programs(const ProgramFit& fit, Target& target);

// Sets the spread of `found`, the result of fit_programs() for a target that was `before` it: the range of each value
// over fits that leave out every fifth program. With fewer than 5 programs it is the value itself.
absl::Status add_spread(const ProgramFit& fit, const Target& before, std::vector<FittedParameter>& found);

// Predicted step time over the measured one; an error where there is no prediction.
absl::StatusOr<double> ratio(const MeasuredProgram& program, const Target& target);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_PROGRAM_FITS_H_
