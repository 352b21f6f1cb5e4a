// The parts of the extension module, one file each, which add their classes and functions to it.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_PARTS_H_
#define HLOROOF_LIB_FRONTS_PYTHON_PARTS_H_

#include <nanobind/nanobind.h>

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline python {

// Adds diff, compare, passes, sweep and devices. They return what the command of the same name prints: its text and its
// JSON.
void add_answers(nanobind::module_& module);

// Adds the checks of hloroof/testing.h, the conditions of lib/versions/gate.h and tables.
void add_checks(nanobind::module_& module);

// Adds Editor, Checkpoint and ComputationBuilder. They hold the GIL during every call.
void add_editor(nanobind::module_& module);

// Adds Shape, Instruction and Computation. They are handles (edited_module.h).
void add_module_parts(nanobind::module_& module);

// Adds OrderRules.
void add_order_rules(nanobind::module_& module);

// Adds PredictOptions, and the function that reads them from JSON.
void add_predict_options(nanobind::module_& module);

// Adds reschedule().
void add_reschedule(nanobind::module_& module);

// Adds scale().
void add_scale(nanobind::module_& module);

// Adds sweep, Places and settings.
void add_sweep(nanobind::module_& module);

// Returns the verdict, the timeline and the roofline as HTML with inline SVG, without scripts and style sheets. Text
// and axes have the color of the surrounding text, so that the drawings are readable in light and in dark notebooks.
// Its size does not grow with the program: events narrower than a pixel are merged, and the roofline has the longest
// ops.
std::string notebook_html(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_PARTS_H_
