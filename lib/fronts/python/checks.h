// The checks of hloroof/testing.h, the conditions of lib/versions/gate.h and tables, for the Python package.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_CHECKS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_CHECKS_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

void add_checks(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_CHECKS_H_
