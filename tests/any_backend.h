// For tests that predict programs on devices of other kinds than they were compiled for.
#ifndef HLOROOF_TESTS_ANY_BACKEND_H_
#define HLOROOF_TESTS_ANY_BACKEND_H_

#include "hloroof/predict.h"

namespace hloroof {

inline PredictOptions any_backend(PredictOptions options = {}) {
  options.allow_other_backend = true;
  return options;
}

}  // namespace hloroof

#endif  // HLOROOF_TESTS_ANY_BACKEND_H_
