// Very many transfers in flight at once. A Machine hands its transfers to a Crowd when a look at each of them whenever
// one ends would take quadratic time.
//
// All transfers that feel the same resources run at the same speed, because the most crowded of these determines it.
// They form a group with a clock that counts seconds at full speed: a transfer ends when the clock of its group reaches
// a time that is known at its start. A heap of these times finds the next end, so that n transfers take O(n log n)
// time, multiplied by the few groups.
#ifndef HLOROOF_LIB_SCHEDULE_CROWD_H_
#define HLOROOF_LIB_SCHEDULE_CROWD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "lib/schedule/demand.h"
#include "lib/schedule/flight.h"

namespace hloroof::internal::inline schedule {

// Not thread-safe.
class Crowd {
 public:
  std::size_t size() const { return size_; }

  void add(const Flight& flight);

  // Returns the sum of the demands on each resource.
  SharedSeconds load() const;

  // Returns the seconds until a transfer ends or begins to move, with `load` on each resource. If `awaited` is valid,
  // also looks for the moment at which `left` seconds at full speed remain of its transfers.
  double next_event(const SharedSeconds& load, InstructionId awaited, double left) const;

  // Advances all transfers by `step` seconds, at most next_event(). Adds those that have ended to `ended`, in the order
  // in which they were added.
  void advance(const SharedSeconds& load, double step, std::vector<Flight>& ended);

  // Returns whether more than `left` seconds at full speed remain of a transfer of `start`.
  bool has_more(InstructionId start, double left) const;

  // Removes all transfers and returns them in the order in which they were added.
  std::vector<Flight> take();

  // The number of transfers and groups looked at so far. A test holds it against the number of transfers.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  struct Member {
    Flight flight;          // `remaining` is that at the beginning of the phase
    SharedUnits group = 0;  // the units whose load it feels in this phase
    double ends = 0;        // of the phase, on the clock of the group
    bool is_moving = false;
    bool has_ended = false;
  };
  using End = std::pair<double, std::size_t>;  // and the index of the member
  struct Group {
    double clock = 0;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  };

  // Adds the demand of a member times `sign` to the load.
  void count(const Member& member, int sign);
  // Puts a member into the group of its phase.
  void join(std::size_t index, double remaining);
  double remaining(const Member& member) const;

  std::vector<Member> members_;  // in the order in which they were added
  std::size_t size_ = 0;         // those that have not ended
  std::map<SharedUnits, Group> groups_;
  std::unordered_multimap<std::uint32_t, std::size_t> by_start_;  // index of the start to index of the member
  // The load in units of 2^-36, so that the sum does not depend on the order of additions and subtractions.
  std::array<std::int64_t, kSharedCount> load_ = {};
  mutable std::uint64_t looked_at_ = 0;
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_CROWD_H_
