// What a replay leaves of one pass over the steps of a computation.
//
// A pass of a loop body is one iteration; other computations have one pass. What the machine does in a step follows
// from the transfers in flight and from the step alone. So a pass over steps of which only some are others than before
// is replayed from a mark before the first of them, until the same transfers are in flight as at a mark behind the
// last.
#ifndef HLOROOF_LIB_SCHEDULE_PASS_H_
#define HLOROOF_LIB_SCHEDULE_PASS_H_

#include <cstddef>
#include <vector>

#include "hloroof/shape.h"
#include "lib/schedule/clock.h"
#include "lib/schedule/flight.h"

namespace hloroof::internal::inline schedule {

// The compute stream is at `op` and waits for the transfer of the start `awaited`. The start `cause` is either the same
// or that of a transfer that `awaited` queues behind.
struct Wait {
  InstructionId op;
  InstructionId awaited;
  InstructionId cause;
  double seconds = 0;

  friend bool operator==(const Wait&, const Wait&) = default;
};

// The machine before a step, and what the pass had noted by then.
struct Mark {
  std::size_t step = 0;  // its index
  Clock clock;           // since the beginning of the pass
  std::vector<Flight> flights;
  std::size_t waits = 0;
  InstructionId last_start;  // the last transfer that had begun in the pass
};

struct Pass {
  std::vector<double> exposed;  // by index of the step: seconds of the compute stream
  std::vector<Wait> waits;      // in the order of the steps
  std::vector<Mark> marks;      // in the order of the steps
  std::vector<Flight> entered;  // in flight at the beginning
  std::vector<Flight> left;     // in flight at the end
  Clock took;
  InstructionId last_start;  // the last transfer that began

  // Takes what `before` noted up to its mark of this index. Call it for an empty pass.
  void begin_as(Pass& before, std::size_t mark);
  // Takes what `before` noted from its mark of this index on, to whose step this pass has come in `clock`.
  void end_as(Pass& before, std::size_t mark, Clock clock);
  // Returns the index of the first mark behind a step.
  std::size_t first_mark_behind(std::size_t step) const;
};

// Whether the same transfers are in flight, in the same order and each with the same rest. When they began is no part
// of that: nothing that is still to come depends on it.
bool are_same(const std::vector<Flight>& a, const std::vector<Flight>& b);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_PASS_H_
