// Matches sends with the receives of the same message.
#ifndef HLOROOF_LIB_STEP_MESSAGES_H_
#define HLOROOF_LIB_STEP_MESSAGES_H_

#include <cstdint>
#include <map>

#include "hloroof/module.h"
#include "lib/step/costs.h"

namespace hloroof::internal::inline step {

// All devices run the same program, so a device receives while it sends. The transfer of the send represents both
// halves of a message. The done of the receive waits for the rest of that transfer, and the receive itself costs
// nothing. The halves of a message are in one computation and have the same channel and pairs. They are matched in text
// order. A receive without a send keeps the cost of its transfer.

// Returns the send of each receive that has one, by the index of the receive. Reads the collectives and their carriers.
std::map<std::uint32_t, InstructionId> join_messages(const Module& module, const CollectiveCosts& collectives);

// Returns the send and the receive of each transfer between slices, in one direction and the other: the receive of a
// send, and the send of a receive, by index. The halves are in one computation and have the same rendezvous.
std::map<std::uint32_t, InstructionId> join_slice_transfers(const Module& module, const CollectiveCosts& collectives);

// Returns the demand of a receive whose transfer `send` carries. Without that send, its demand would be `demand`.
Demand carried_by(InstructionId send, const Demand& demand);

}  // namespace hloroof::internal::inline step

#endif  // HLOROOF_LIB_STEP_MESSAGES_H_
