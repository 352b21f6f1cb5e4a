// The state of the machine while the program runs: a clock and the transfers in flight.
//
// All activities in flight share the resources. An activity that alone would keep a resource busy for a fraction s of
// its time demands s of that resource. If the demands on a resource add up to more than one, every activity that uses
// the resource slows down by that sum. The most crowded resource of an activity determines its speed. This is processor
// sharing, recomputed whenever an activity starts or ends. The docs of XLA's latency-hiding scheduler assume a fixed
// latency instead, but links and HBM are shared.
//
// The latency of a transfer comes first: until it has passed, the transfer uses no link and no memory. If it used less
// of them for all of its time instead, a transfer slowed down by compute could not catch up when compute ends, and a
// faster operation could make the step slower.
#ifndef HLOROOF_LIB_SCHEDULE_MACHINE_H_
#define HLOROOF_LIB_SCHEDULE_MACHINE_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hloroof/shape.h"
#include "lib/schedule/clock.h"
#include "lib/schedule/crowd.h"
#include "lib/schedule/demand.h"
#include "lib/schedule/flight.h"

namespace hloroof::internal::inline schedule {

// A part of a wait: how long one transfer kept the awaited one from ending. The awaited transfer itself causes the time
// that it would take alone. The others that share its most crowded resource cause the rest, in proportion to their
// shares. While very many transfers are in flight, the awaited one causes all of it.
struct WaitPart {
  InstructionId cause;
  double seconds = 0;
};

struct FinishedFlight {
  InstructionId start;
  Lane lane;
  double begin;
  double end;
};

// Not thread-safe.
class Machine {
 public:
  Machine() = default;
  // A machine in a later state.
  Machine(Clock clock, const std::vector<Flight>& flights) : clock_(clock) {
    for (const Flight& flight : flights) add(flight);
  }

  // Do not find out from now on what causes waits.
  void ignore_causes() { finds_causes_ = false; }

  // Begins a step. What the machine does in a step depends only on the transfers in flight, and not on the time at
  // which it begins: not even in its rounding errors.
  void begin_step() {
    clock_.add(now_);
    now_ = 0;
  }
  // The time at which the step began.
  Clock clock() const { return clock_; }
  // The end of a step is the beginning of the next one, to the last bit.
  double now() const {
    Clock now = clock_;
    now.add(now_);
    return now.seconds();
  }

  // Returns the transfers in flight in the order in which they began.
  const std::vector<Flight>& in_flight();
  // The same if there are few; null otherwise.
  const std::vector<Flight>* few_in_flight() const {
    constexpr std::size_t kFew = 64;
    return size() > kFew ? nullptr : &flights_;
  }

  // Starts a transfer. If the previous transfer of the same instruction is still in flight, waits for it first, because
  // both use the same buffers. Returns the seconds waited.
  double start(InstructionId id, const Demand& demand);

  // Adds a transfer that began in another computation.
  void adopt(const Flight& flight);

  // Runs an activity to its end. `seconds` is its duration at full speed. Returns the seconds that elapsed.
  double run(double seconds, const SharedSeconds& busy);

  // Waits until the transfer of `start` has ended, or `left` seconds at full speed remain of it, if it is in flight.
  // Returns the seconds waited.
  double wait(InstructionId start, double left = 0);

  // Waits until no transfer is in flight. Returns the seconds waited. Every transfer causes the time in which it is the
  // one with the most left to do. While very many are in flight, it causes the time since the end of the one before it.
  double drain();

  // Returns the parts of the last start(), wait() or drain(). They add up to the seconds waited.
  const std::vector<WaitPart>& causes() const { return causes_; }

  // Returns the transfers that ended since the last call, in the order in which they ended.
  std::vector<FinishedFlight> take_finished();

  // See Crowd.
  std::uint64_t looked_at() const { return crowd_.looked_at(); }

 private:
  static SharedSeconds shares(double seconds, const SharedSeconds& busy);
  // Advances the clock to the next end of the activity or of a transfer. `remaining` and `share` belong to the activity
  // and are null when the compute stream only waits. It waits for `awaited`, if that is valid, until `left` seconds at
  // full speed remain of it.
  void advance(double* remaining, const SharedSeconds* share, InstructionId awaited = {}, double left = 0);
  // The same while there is a crowd. `load` includes the activity.
  void advance_crowd(double* remaining, double own_speed, const SharedSeconds& load, InstructionId awaited,
                     double left);
  void add(const Flight& flight);
  void finish(const Flight& flight);
  // Returns whether the transfers are in `crowd_`, after moving them there or back if their number asks for it.
  bool is_crowded();
  std::size_t size() const { return flights_.size() + crowd_.size(); }
  void charge_wait(InstructionId awaited, const SharedSeconds& load, double seconds);
  void charge(InstructionId cause, double seconds);
  void clear_causes();

  Clock clock_;     // when the step began
  double now_ = 0;  // since then
  bool finds_causes_ = true;
  std::vector<Flight> flights_;  // empty while there is a crowd
  Crowd crowd_;
  std::unordered_map<std::uint32_t, std::uint32_t> flying_;  // number of flights by the index of their start
  std::vector<FinishedFlight> finished_;
  std::vector<WaitPart> causes_;
  std::unordered_map<std::uint32_t, std::size_t> cause_at_;  // index into causes_ by cause, if there are many
  std::vector<double> speeds_;                               // scratch
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_MACHINE_H_
