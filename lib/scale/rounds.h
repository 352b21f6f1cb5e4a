// Loops that pass blocks round the mesh axis: their trips are as many as the axis has devices, or fewer by a fixed
// number.
#ifndef HLOROOF_LIB_SCALE_ROUNDS_H_
#define HLOROOF_LIB_SCALE_ROUNDS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/trips.h"

namespace hloroof::internal::inline scale {

struct Rounds {
  std::vector<LoopTrips> loops;
  bool pass_state = false;  // and nothing else is passed along the axis: what is passed are shards of state
};

// Finds the loops in which each trip passes on, by one place along the axis, the block that the trip before received,
// or that block with something added, and what trips they have at the other size.
//
// A permutation along the axis that does not pass on what another one passed, as where neighbors exchange their edges,
// is the same shift at the other size, with no other number of rounds. Errors: InvalidArgument at a permutation along
// the axis of which it is not known whether its rounds are as many as the axis has devices: if rounds are written out
// one after the other, if a loop passes on what it computed from a part of a block, or if its trips are not those of a
// ring.
absl::StatusOr<Rounds> find_rounds(const Module& module, const ScaledAxis& axis);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_ROUNDS_H_
