// Infers the trip counts of while loops.
#ifndef HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_
#define HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "hloroof/analysis.h"
#include "hloroof/module.h"
#include "lib/analysis/value_trace.h"

namespace hloroof::internal::inline analysis {

// Finds the trip count of every while instruction of the module, in context.loops. The sources in order of precedence
// are options.trip_counts, the annotation, inference, and the default. What context.loops has from the last search is
// kept, unless it was read off something in `changed`, of which `unchanged_of` and `growth_of` are empty.
void find_trip_counts(TraceContext& context, const CallOptions& options, TraceReads changed);

// How often `i = first; while (i OP bound) i += step` runs, where difference = first - bound. nullopt if the loop never
// ends, or ends only because i wraps around.
std::optional<std::int64_t> count_trips(ComparisonDirection comparison, std::int64_t difference, std::int64_t step);

}  // namespace hloroof::internal::inline analysis

#endif  // HLOROOF_LIB_ANALYSIS_TRIP_COUNT_H_
