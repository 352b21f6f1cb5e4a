// Trip counts of while loops.
#ifndef HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_
#define HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_

#include <unordered_map>

#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/analysis/value_trace.h"

namespace hloroof::inline v0 {

// The trip count of every while instruction of the module, by index of its id: what options.trip_counts says, else the
// annotation, else what can be inferred, else the default.
std::unordered_map<std::uint32_t, TripCount> find_trip_counts(TraceContext& context, const CallOptions& options);

// How often `i = first; while (i OP bound) i += step` runs, where difference = first - bound: nothing if for ever, or
// if only wrapping around would end it.
std::optional<std::int64_t> count_trips(Comparison comparison, std::int64_t difference, std::int64_t step);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_
