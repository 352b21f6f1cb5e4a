// A transfer in flight.
#ifndef HLOROOF_LIB_SCHEDULE_FLIGHT_H_
#define HLOROOF_LIB_SCHEDULE_FLIGHT_H_

#include "hloroof/shape.h"
#include "lib/schedule/demand.h"

namespace hloroof::internal {

struct Flight {
  InstructionId start;
  Lane lane = Lane::kDma;
  double remaining = 0;      // seconds at full speed
  double moving = 0;         // the last of them, after the latency
  SharedSeconds share = {};  // fraction of each resource in use at full speed after the latency, 0 .. 1
  double begin = 0;          // on the clock

  bool is_moving() const { return remaining <= moving; }
  // The fraction of resource `r` that is in use at full speed now. A SparseCore is in use from the beginning.
  double asks(int r) const { return r >= kFirstSparseCore || is_moving() ? share[r] : 0; }
};

}  // namespace hloroof::internal

#endif  // HLOROOF_LIB_SCHEDULE_FLIGHT_H_
