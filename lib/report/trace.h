// The timeline in the Trace Event Format, which Perfetto and chrome://tracing read.
#ifndef HLOROOF_LIB_REPORT_TRACE_H_
#define HLOROOF_LIB_REPORT_TRACE_H_

#include <string>

#include "hloroof/module.h"
#include "hloroof/predict.h"

namespace hloroof::inline v0 {

// One process, a thread for each lane (more where a lane's events overlap), times in microseconds, loops by their first
// iteration. Complete events carry the op's numbers as arguments, in SI units. A flow leads from each start's transfer
// to the done that waits for it; a done that has not to wait is an event without length.
std::string chrome_trace(const Module& module, const StepPrediction& prediction);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_REPORT_TRACE_H_
