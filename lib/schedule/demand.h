// The demand of one execution of one instruction on the machine. The schedule knows nothing else about the instruction.
#ifndef HLOROOF_LIB_SCHEDULE_DEMAND_H_
#define HLOROOF_LIB_SCHEDULE_DEMAND_H_

#include <array>
#include <cstdint>

#include "hloroof/cost.h"
#include "hloroof/shape.h"
#include "lib/hardware/device_facts.h"

namespace hloroof::internal::inline schedule {

// What the compute stream does when it reaches an instruction.
enum class Step : std::uint8_t {
  kFree,    // does nothing: structural, or another instruction carries the work
  kRun,     // runs it to its end
  kStart,   // issues a transfer and continues
  kDone,    // waits for the rest of a transfer
  kLoop,    // while: runs the body and the condition
  kBranch,  // conditional: runs one of the branches
  kCall,    // runs the called computations in turn
};

// Seconds that each shared unit is busy: the resources first, then the individual links, then the SparseCores. If the
// links of a transfer are known, its time is charged to those links and not to the resource kIci, so that it does not
// slow down transfers on other links. A program on a SparseCore keeps it busy for all of its time.
inline constexpr int kFirstSparseCore = kResourceCount + kMostLinks;
inline constexpr int kSharedCount = kFirstSparseCore + kMostSparseCores;
using SharedSeconds = std::array<double, kSharedCount>;

// Returns the seconds that the busiest link is busy, including the time charged to kIci.
inline double links_busy(const SharedSeconds& busy) {
  double most = 0;
  for (int link = kResourceCount; link < kFirstSparseCore; ++link) most = busy[link] > most ? busy[link] : most;
  return busy[static_cast<int>(Resource::kIci)] + most;
}

// Longer than any step. Durations are clamped to it, so that their sums and products stay finite. A step that reaches
// it has overflowed.
inline constexpr double kForever = 1e18;

struct Demand {
  Step step = Step::kFree;
  Lane lane = Lane::kCompute;
  double issue = 0;                // kStart: seconds of the compute stream; kLoop: the overhead of one iteration
  double seconds = 0;              // of one execution on an otherwise idle machine; kStart: of the transfer
  SharedSeconds busy = {};         // busy time within `seconds`
  double held = 0;                 // kStart: the first part of `seconds`; the compute stream waits for it at the start
  InstructionId carried_by;        // kStart: the start that carries this transfer; a done waits for that one
  InstructionId also_starts;       // kStart: another start, whose transfer begins here and not where that one is issued
  bool is_begun_by_other = false;  // kStart: that other start
  // kRun, kDone: the seconds of a transfer on Lane::kDcn that begins when the instruction ends and that only the next
  // execution and the end of the step wait for. `between_busy` are those of Resource::kDcn within them.
  double between_seconds = 0;
  double between_busy = 0;
  // kStart: the load that the transfer puts on the units that compute: a collective's kernel on a GPU holds
  // multiprocessors, which is less for the kernels beside it and does not slow the transfer down.
  double held_units = 0;
  bool is_issued_ahead = false;  // kStart: issued by the previous step, so that its done does not wait

  // Returns the start that carries the transfer of `start`. This must be the demand of `start`.
  InstructionId transfer_of(InstructionId start) const { return carried_by.valid() ? carried_by : start; }

  friend bool operator==(const Demand&, const Demand&) = default;
};

// Returns the demand as if `resource` took no time. If the demand uses the resource, its duration becomes
// min(seconds, busiest remaining resource + kLatency seconds). kIci frees all links. kLatency frees the latency floors
// and the issue time on the compute stream.
Demand without(const Demand& demand, Resource resource);

// Returns the demand as if the instruction, or the transfer that it starts, took only this share of its time, 0 to 1.
Demand scaled(Demand demand, double share);

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_DEMAND_H_
