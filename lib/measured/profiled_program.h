// The program and the device that a profile names, so that it can be compared without being told them.
#ifndef HLOROOF_LIB_MEASURED_PROFILED_PROGRAM_H_
#define HLOROOF_LIB_MEASURED_PROFILED_PROGRAM_H_

#include <string>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "hloroof/parse.h"
#include "lib/profile/measured_profile.h"

namespace hloroof::internal::inline measured {

// The program that spends the most time in ops. `profile` has at least one.
const MeasuredProgram& longest_program(const MeasuredProfile& profile);

// The module of the program that spends the most time in ops, from the profile. `options.path` is the path of the
// profile. Errors: NotFound if the profile does not have it; those of parse_module().
absl::StatusOr<Module> profiled_module(const MeasuredProfile& profile, const ParseOptions& options);

// The name of the built-in device that the profile was taken on. Errors: NotFound if the profile does not determine it.
absl::StatusOr<std::string> profiled_device(const MeasuredProfile& profile);

}  // namespace hloroof::internal::inline measured

#endif  // HLOROOF_LIB_MEASURED_PROFILED_PROGRAM_H_
