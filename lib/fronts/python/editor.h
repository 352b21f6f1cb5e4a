// Python bindings of ModuleEditor, ComputationBuilder and the Predictor that follows the edits.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_EDITOR_H_
#define HLOROOF_LIB_FRONTS_PYTHON_EDITOR_H_

#include <nanobind/nanobind.h>

namespace hloroof::internal::inline python {

// Adds Editor, Checkpoint and ComputationBuilder. They hold the GIL during every call.
void add_editor(nanobind::module_& module);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_EDITOR_H_
