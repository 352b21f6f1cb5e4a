// Python bindings of PredictOptions.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_PREDICT_OPTIONS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_PREDICT_OPTIONS_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds PredictOptions, and the function that reads them from JSON.
void add_predict_options(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_PREDICT_OPTIONS_H_
