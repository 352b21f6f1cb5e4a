// The machine while the program runs: a clock, and the transfers in flight.
//
// Whatever is active at a moment shares the resources. An activity that alone would keep a resource busy for a share s
// of its time asks for s; where the shares on a resource add up to more than one, everything that uses it slows down by
// that sum, its most crowded resource deciding. That is processor sharing, recomputed whenever something starts or ends
// (docs of XLA's latency-hiding scheduler assume a fixed latency instead; sharing is what links and HBM do).
#ifndef HLOROOF_LIB_SCHEDULE_MACHINE_H_
#define HLOROOF_LIB_SCHEDULE_MACHINE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "hloroof/ids.h"
#include "lib/schedule/demand.h"

namespace hloroof::inline v0 {

// A transfer under way.
struct Flight {
  InstructionId start;
  Lane lane = Lane::kDma;
  double remaining = 0;      // seconds at full speed
  SharedSeconds share = {};  // of each resource at full speed, 0 .. 1
  double begin = 0;          // on the clock
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
  double now() const { return now_; }
  const std::vector<Flight>& in_flight() const { return flights_; }

  // Puts a transfer under way. One that the same instruction started before and that is still under way is waited for
  // first, since it uses the same buffers; returns the seconds that took.
  double start(InstructionId id, const Demand& demand);

  // Takes over a transfer that began elsewhere.
  void adopt(const Flight& flight);

  // Lets an activity of `seconds` at full speed run to its end; returns the seconds it took.
  double run(double seconds, const SharedSeconds& busy);

  // Waits until the transfer of `start` has ended, if it is under way; returns the seconds waited.
  double wait(InstructionId start);

  // Waits until nothing is under way.
  double drain();

  // What has ended since the last call, in order of ending.
  std::vector<FinishedFlight> take_finished();

 private:
  static SharedSeconds shares(double seconds, const SharedSeconds& busy);
  // Moves the clock to the next end, of the activity or of a transfer. `remaining` and `share` are the activity's; null
  // when the compute stream only waits.
  void advance(double* remaining, const SharedSeconds* share);

  double now_ = 0;
  std::vector<Flight> flights_;
  std::vector<FinishedFlight> finished_;
  std::vector<double> speeds_;  // scratch
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_MACHINE_H_
