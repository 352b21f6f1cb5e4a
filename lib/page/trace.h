// Writes the timeline in the Trace Event Format, which Perfetto and chrome://tracing read.
#ifndef HLOROOF_LIB_PAGE_TRACE_H_
#define HLOROOF_LIB_PAGE_TRACE_H_

#include <string>

#include "hloroof/predict.h"

namespace hloroof::internal::inline page {

// Writes one process with a thread for each lane, or several if a lane's events overlap. Times are in microseconds, and
// the last event ends with the step. Complete events carry the op's numbers as arguments, in SI units. A flow
// connects the transfer of each start to the done that waits for it. A done that does not wait is an event of zero
// length.
//
// A loop shows its first kRecordedIterations iterations, and all others as one slice, "×29 more". The events of the
// iterations after the first have only the number of the iteration as arguments. A loop inside them is one slice.
// Counters show the HBM in use, and the bandwidth used on HBM and on each link. The trace thus has at most
// kRecordedIterations slices for each event of the timeline, and two samples of each counter for each slice.
//
// Reads prediction.facts and the module.
std::string chrome_trace(const StepPrediction& prediction);

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_TRACE_H_
