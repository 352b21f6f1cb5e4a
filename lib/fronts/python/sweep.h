// Python binding of a sweep: one program on several devices, topologies and values of parameters.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_SWEEP_H_
#define HLOROOF_LIB_FRONTS_PYTHON_SWEEP_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds sweep, Places and settings.
void add_sweep(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_SWEEP_H_
