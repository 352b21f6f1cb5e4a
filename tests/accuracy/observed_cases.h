// Single observed times, each with a program that does what was observed.
#ifndef HLOROOF_TESTS_ACCURACY_OBSERVED_CASES_H_
#define HLOROOF_TESTS_ACCURACY_OBSERVED_CASES_H_

#include <vector>

#include "tests/accuracy/standing.h"

namespace hloroof::internal {

struct ObservedCase {
  const char* what;
  const char* device;  // as find_target() takes it
  const char* hlo;
  double low;  // seconds: the range that was observed, or 5 % about the one value
  double high;
  const char* source;
  Standing standing = Standing::kHeldBack;
  const char* parameter = "";  // that fit_programs() fits to it
  double fitted_seconds = 0;   // and to what time
  const char* op = "";         // whose time in the step was observed; empty for the whole step
};

const std::vector<ObservedCase>& observed_cases();

// The model's time of the case, seconds; below 0 if the program or the device is not understood.
double predict_observed(const ObservedCase& observed);

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_ACCURACY_OBSERVED_CASES_H_
