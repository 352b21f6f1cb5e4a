// The moves that are worth a prediction.
#ifndef HLOROOF_LIB_RESCHEDULE_CANDIDATES_H_
#define HLOROOF_LIB_RESCHEDULE_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hloroof/module.h"
#include "lib/reschedule/constraints.h"

namespace hloroof::internal::inline reschedule {

enum class Direction : std::uint8_t { kEarlier, kLater };

// An instruction that moves to the place before another, with those of the instructions in between that must go along.
struct Move {
  Direction direction = Direction::kEarlier;
  std::vector<InstructionId> moved;  // those that go first in the direction come first
  InstructionId before;
  double passed_seconds = 0;  // compute time between the old place and the new one
};

// Where an instruction may move.
struct Moves {
  const Constraints& constraints;
  const std::vector<double>& seconds;  // by InstructionId: of the compute stream in one execution

  // Returns the few moves of order[at] in one direction that are worth a try to hide `wanted` seconds, nearest first:
  // the nearest, the farthest, and those that pass about as much compute time, half of it, and some multiples of it. A
  // move passes at least one instruction that takes time, and at most `most_moved` instructions move. `order` is that
  // of the computation.
  std::vector<Move> find(const std::vector<InstructionId>& order, std::size_t at, Direction direction,
                         std::size_t most_moved, double wanted) const;
};

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_CANDIDATES_H_
