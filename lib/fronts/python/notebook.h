// Draws a prediction for a notebook.
#ifndef HLOROOF_LIB_FRONTS_PYTHON_NOTEBOOK_H_
#define HLOROOF_LIB_FRONTS_PYTHON_NOTEBOOK_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline python {

// Returns the verdict, the timeline and the roofline as HTML with inline SVG, without scripts and style sheets. Text
// and axes have the color of the surrounding text, so that the drawings are readable in light and in dark notebooks.
// Its size does not grow with the program: events narrower than a pixel are merged, and the roofline has the longest
// ops.
std::string notebook_html(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline python

#endif  // HLOROOF_LIB_FRONTS_PYTHON_NOTEBOOK_H_
