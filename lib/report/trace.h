// Writes the timeline in the Trace Event Format, which Perfetto and chrome://tracing read.
#ifndef HLOROOF_LIB_REPORT_TRACE_H_
#define HLOROOF_LIB_REPORT_TRACE_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal {

// Writes one process with a thread for each lane, or several if a lane's events overlap. Times are in microseconds, and
// a loop is shown by its first iteration. Complete events carry the op's numbers as arguments, in SI units. A flow
// connects the transfer of each start to the done that waits for it. A done that does not wait is an event of zero
// length.
//
// Reads prediction.facts and the module.
std::string chrome_trace(const StepPrediction& prediction);

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_REPORT_TRACE_H_
