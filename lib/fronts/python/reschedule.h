// Python binding of the search for a better order.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_RESCHEDULE_H_
#define HLOROOF_LIB_FRONTS_PYTHON_RESCHEDULE_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds reschedule().
void add_reschedule(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_RESCHEDULE_H_
