// Loops that pass blocks round the mesh axis: their trips are as many as the axis has devices, or fewer by a fixed
// number.
#ifndef HLOROOF_LIB_SCALE_ROUNDS_H_
#define HLOROOF_LIB_SCALE_ROUNDS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "hloroof/device.h"
#include "hloroof/module.h"
#include "lib/scale/axis.h"
#include "lib/scale/trips.h"

namespace hloroof::internal::inline scale {

struct Rounds {
  std::vector<LoopTrips> loops;
  bool pass_state = false;            // and nothing else is passed along the axis: what is passed are shards of state
  std::set<InstructionId> inside;     // the instructions in these loops
  std::vector<std::string> unlikely;  // what find_rounds() would have refused
};

// Finds the loops in which each trip passes on, by one place along the axis, the block that the trip before received,
// or that block with something added, and what trips they have at the other size.
//
// A permutation along the axis that does not pass on what another one passed, as where neighbors exchange their edges,
// is the same shift at the other size, with no other number of rounds. Errors: InvalidArgument at a permutation along
// the axis of which it is not known whether its rounds are as many as the axis has devices: if rounds are written out
// one after the other, if a loop passes on what it computed from a part of a block, or if its trips are not those of a
// ring. The edge of an array that is passed to the next device and not from the last to the first is no round.
//
// Where a compiler is known to make no ring at the other size, to make one there alone, or to wait for permutes in
// another way, that is an error too, or with `as_given` one of Rounds::unlikely. `device` is null if that it is not
// known.
absl::StatusOr<Rounds> find_rounds(const Module& module, const ScaledAxis& axis, bool as_given, const Device* device);

}  // namespace hloroof::internal::inline scale

#endif  // HLOROOF_LIB_SCALE_ROUNDS_H_
