// How many transfers of one lane are in flight at once.
#ifndef HLOROOF_LIB_RESCHEDULE_IN_FLIGHT_H_
#define HLOROOF_LIB_RESCHEDULE_IN_FLIGHT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/demand.h"

namespace hloroof::internal::inline reschedule {

using InFlight = std::array<std::int64_t, kLaneCount>;  // by Lane

// What the count depends on besides the order of the instructions.
struct Transfers {
  CallGraph calls;
  AsyncPairs pairs;
  std::vector<Step> step;  // by InstructionId
  std::vector<Lane> lane;  // by InstructionId of a start
};

// Returns the largest number of transfers between their starts and dones at any place of the program, by lane. Those of
// a caller count in the computation that it calls.
InFlight most_in_flight(const Module& module, const Transfers& transfers);

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_IN_FLIGHT_H_
