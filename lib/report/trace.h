// The timeline as a Chrome trace, which Perfetto and chrome://tracing read.
#ifndef HLOROOF_LIB_REPORT_TRACE_H_
#define HLOROOF_LIB_REPORT_TRACE_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::inline v0 {

// One lane per resource that carries something; times in microseconds; loops by their first iteration, with the number
// of executions among an event's arguments.
std::string chrome_trace(const StepPrediction& prediction);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_TRACE_H_
