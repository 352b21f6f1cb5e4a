// Python bindings of the reports about several predictions, about a profile and about devices.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_ANSWERS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_ANSWERS_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds diff, compare, passes, sweep and devices. They return what the command of the same name prints: its text and its
// JSON.
void add_answers(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_ANSWERS_H_
