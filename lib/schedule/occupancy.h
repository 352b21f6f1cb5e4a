// The times during which a buffer holds a value that is still needed.
//
// The state of a loop is one buffer. In the body, the value of the last iteration is often dead long before the next
// one is written. The compiler lets other values have such memory in VMEM, which it assigns to each value for the time
// that it is needed.
#ifndef HLOROOF_LIB_SCHEDULE_OCCUPANCY_H_
#define HLOROOF_LIB_SCHEDULE_OCCUPANCY_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/schedule/buffers.h"

namespace hloroof::internal::inline schedule {

// A point in program order; see memory.cc.
using Moment = std::int64_t;

class Occupancy {
 public:
  struct Interval {
    Moment begin = 0;
    Moment end = 0;  // inclusive
  };

  // An instruction writes a value that does not depend on the previous one in the buffer.
  void write(BufferId buffer, Moment at) { events_[buffer].push_back({at, true}); }
  // The value in the buffer is read, updated or passed on.
  void need(BufferId buffer, Moment at) { events_[buffer].push_back({at, false}); }

  // Returns the intervals from each write to the last need before the next write, in order. They cover all needs.
  std::vector<Interval> intervals(BufferId buffer) const;

 private:
  struct Event {
    Moment at = 0;
    bool writes = false;
  };
  std::unordered_map<BufferId, std::vector<Event>> events_;
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_OCCUPANCY_H_
