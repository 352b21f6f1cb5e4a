// Python bindings of what an editor shows: instructions, computations and shapes.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_MODULE_PARTS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_MODULE_PARTS_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds Shape, Instruction and Computation. They are handles (edited_module.h).
void add_module_parts(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_MODULE_PARTS_H_
