// A transfer in flight, and the shared units of the machine that it uses.
#ifndef HLOROOF_LIB_SCHEDULE_FLIGHT_H_
#define HLOROOF_LIB_SCHEDULE_FLIGHT_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "hloroof/shape.h"
#include "lib/schedule/demand.h"

namespace hloroof::internal::inline schedule {

// A set of shared units: bit r is the unit r of SharedSeconds. Most activities use one or two of the sixteen, so that
// visiting those alone takes a fifth of the time of a replay's steps.
using SharedUnits = std::uint32_t;

inline SharedUnits used_units(const SharedSeconds& share) {
  SharedUnits units = 0;
  for (int r = 0; r < kSharedCount; ++r) units |= static_cast<SharedUnits>(share[r] > 0) << r;
  return units;
}

// Calls visit(r) for each unit, in ascending order.
template <typename Visit>
void for_each_unit(SharedUnits units, const Visit& visit) {
  for (; units != 0; units &= units - 1) visit(std::countr_zero(units));
}

// The load of the most crowded of `units`, at least 1. An activity that uses them is slower by this factor.
inline double crowd_on(SharedUnits units, const SharedSeconds& load) {
  double crowd = 1;
  for_each_unit(units, [&](int r) { crowd = std::max(crowd, load[r]); });
  return crowd;
}

struct Flight {
  InstructionId start;
  Lane lane = Lane::kDma;
  double remaining = 0;                // seconds at full speed
  double moving = 0;                   // the last of them, after the latency
  SharedSeconds share = {};            // fraction of each resource in use at full speed after the latency, 0 .. 1
  double begin = 0;                    // on the clock
  SharedUnits units = 0;               // used_units(share)
  SharedUnits felt = ~SharedUnits{0};  // those whose load slows it down; the others it holds

  bool is_moving() const { return remaining <= moving; }
  // The units in use now. A SparseCore is in use from the beginning.
  SharedUnits units_now() const { return is_moving() ? units : units & ~((SharedUnits{1} << kFirstSparseCore) - 1); }
  SharedUnits felt_now() const { return units_now() & felt; }
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_FLIGHT_H_
