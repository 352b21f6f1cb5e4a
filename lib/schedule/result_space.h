// Which temporaries of a GPU program lie in the allocations of its results.
//
// XLA gives each result of the program that does not alias an argument an allocation of its own for the whole call, and
// packs the temporaries into another one. Before that it tries to put each temporary into an allocation of a result
// that is at least as large and is free while the temporary is live.
#ifndef HLOROOF_LIB_SCHEDULE_RESULT_SPACE_H_
#define HLOROOF_LIB_SCHEDULE_RESULT_SPACE_H_

#include <vector>

#include "hloroof/analysis.h"
#include "lib/schedule/buffers.h"
#include "lib/schedule/occupancy.h"

namespace hloroof::internal::inline schedule {

struct HeldBuffer {
  BufferId id = 0;
  double bytes = 0;
  Moment begin = 0;
  Moment end = 0;  // inclusive
  MemorySpace space = MemorySpace::kHbm;
  bool is_result = false;
};

struct PlacedInResult {
  BufferId buffer = 0;
  BufferId result = 0;
};

// Returns the buffers that are in the allocation of a result, without the results themselves.
std::vector<PlacedInResult> place_in_results(std::vector<HeldBuffer> buffers);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_RESULT_SPACE_H_
