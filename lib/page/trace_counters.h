// Quantities over the time of the step: HBM in use, and the bandwidth used on HBM and on each link.
#ifndef HLOROOF_LIB_PAGE_TRACE_COUNTERS_H_
#define HLOROOF_LIB_PAGE_TRACE_COUNTERS_H_

#include <string>
#include <vector>

#include "lib/step/facts.h"

namespace hloroof::internal::inline page {

struct CounterSample {
  double seconds = 0;
  double value = 0;  // from `seconds` to the next sample
};

struct CounterTrack {
  std::string name;                    // "HBM in use", "HBM bandwidth", "ici x bandwidth"
  std::string unit;                    // "GB", "GB/s"
  std::vector<CounterSample> samples;  // in order of time, and no two at the same time
};

// Returns the tracks that are not always zero. A transfer uses its links evenly while it is in flight. The iterations
// of a loop and the calls whose events the timeline does not show have their average bandwidth, and the highest of
// their levels of memory. A track has at most two samples for each event that the trace shows.
//
// A bandwidth can exceed that of the device for a short time: a transfer that others slow down is shown with its
// average speed, and the body of a loop without the transfers that the caller has in flight.
std::vector<CounterTrack> counter_tracks(const StepFacts& facts);

}  // namespace hloroof::internal::inline page

#endif  // HLOROOF_LIB_PAGE_TRACE_COUNTERS_H_
