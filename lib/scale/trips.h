// The trips of loops, which a constant ends.
#ifndef HLOROOF_LIB_SCALE_TRIPS_H_
#define HLOROOF_LIB_SCALE_TRIPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/module.h"

namespace hloroof::internal::inline scale {

struct LoopTrips {
  InstructionId loop;      // a while
  InstructionId bound;     // the constant in its condition that ends it
  std::int64_t trips = 0;  // in the given program
  std::int64_t more = 0;   // at the other size; negative for fewer
};

// The only whole number in the condition of a loop.
std::optional<InstructionId> bound_of(const Module& module, InstructionView loop);

// Gives the loops other bounds, and checks that they then have these trips. Errors: InvalidArgument at a loop whose
// trips do not follow the constant.
absl::Status set_trips(Module& module, const std::vector<LoopTrips>& loops);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_TRIPS_H_
