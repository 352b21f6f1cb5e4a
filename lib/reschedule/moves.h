// Moves of instructions within their computation that keep the rules of hloroof/order.h.
#ifndef HLOROOF_LIB_RESCHEDULE_MOVES_H_
#define HLOROOF_LIB_RESCHEDULE_MOVES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hloroof/module.h"
#include "hloroof/order.h"

namespace hloroof::internal::inline reschedule {

enum class Direction : std::uint8_t { kEarlier, kLater };

// An instruction that moves to the place before another, with those of the instructions in between that must go along.
struct Move {
  Direction direction = Direction::kEarlier;
  std::vector<InstructionId> moved;  // those that go first in the direction come first
  InstructionId before;
  double passed_seconds = 0;  // compute time between the old place and the new one
};

// The places that one instruction may move to in one direction, nearest first.
struct Places {
  struct Place {
    std::size_t moved = 0;  // how many instructions move
    InstructionId before;
    double passed_seconds = 0;
  };
  Direction direction = Direction::kEarlier;
  std::vector<InstructionId> moved;  // the farthest in the direction last
  std::vector<Place> places;

  Move move_to(std::size_t place) const;
};

// How far to look for places.
struct Reach {
  Direction direction = Direction::kEarlier;
  std::size_t most_moved = 1;  // instructions that may move together
  std::size_t most_places = std::numeric_limits<std::size_t>::max();
  double enough_seconds = std::numeric_limits<double>::infinity();  // of compute time to pass
  InstructionId until;       // look no farther than behind this instruction, which may not go along
  bool counts_free = false;  // also count places that pass only what starts or awaits a transfer in no time
};

// Where instructions may move. Not thread-safe.
class Moves {
 public:
  // The tables are indexed by InstructionId: `seconds` of the compute stream in one execution, and whether an
  // instruction `matters` to the replay at all.
  Moves(OrderRules rules, std::vector<double> seconds, std::vector<bool> matters)
      : rules_(std::move(rules)),
        seconds_(std::move(seconds)),
        matters_(std::move(matters)),
        bound_(seconds_.size(), 0) {}

  // The places of order[at]. `order` is that of the computation.
  Places places(const std::vector<InstructionId>& order, std::size_t at, const Reach& reach);

  // Returns the few moves of order[at] in one direction that are worth a try to hide `wanted` seconds, nearest first:
  // the nearest, the farthest, and those that pass about as much compute time, half of it, and some multiples of it. A
  // move passes at least one instruction that takes time, and at most `most_moved` instructions move.
  std::vector<Move> find(const std::vector<InstructionId>& order, std::size_t at, Direction direction,
                         std::size_t most_moved, double wanted);

  bool is_fixed(InstructionId id) const { return rules_.is_fixed[id.index]; }
  bool matters(InstructionId id) const { return matters_[id.index]; }
  double seconds(InstructionId id) const { return seconds_[id.index]; }

 private:
  OrderRules rules_;
  std::vector<double> seconds_;
  std::vector<bool> matters_;
  std::vector<std::uint64_t> bound_;  // by InstructionId: the last look in which those that move must not pass it
  std::uint64_t look_ = 0;
};

}  // namespace hloroof::internal::inline reschedule

#endif  // HLOROOF_LIB_RESCHEDULE_MOVES_H_
