// What one execution of one instruction asks of the machine: all that the schedule knows about it.
#ifndef HLOROOF_LIB_SCHEDULE_DEMAND_H_
#define HLOROOF_LIB_SCHEDULE_DEMAND_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "hloroof/cost.h"
#include "hloroof/ids.h"

namespace hloroof::inline v0 {

// What the compute stream does when it comes to an instruction.
enum class Step : std::uint8_t {
  kFree,    // nothing: structure, or an instruction whose work another one carries
  kRun,     // runs it to its end
  kStart,   // issues a transfer and goes on
  kDone,    // waits for what is left of a transfer
  kLoop,    // while: runs the body and the condition
  kBranch,  // conditional: runs one of the branches
  kCall,    // runs the called computations in turn
};

// What carries a transfer while the compute stream goes on. One row of the timeline each.
enum class Lane : std::uint8_t { kCompute, kDma, kIci, kDcn, kHost, kSparseCore };
inline constexpr int kLaneCount = 6;

constexpr std::string_view to_string(Lane lane) {
  constexpr std::string_view kNames[kLaneCount] = {"compute", "dma", "ici", "dcn", "host", "sparsecore"};
  return kNames[static_cast<int>(lane)];
}

// Links of a device that do not slow one another down: the axes of a TPU torus. GPUs have one.
inline constexpr int kLinkCount = 4;

// Seconds that each thing that can be shared is busy: the resources, then the links one by one. What uses links that
// are known stands there and not under the resource kIci, so that it does not slow down what uses others.
inline constexpr int kSharedCount = kResourceCount + kLinkCount;
using SharedSeconds = std::array<double, kSharedCount>;

// Seconds that the busiest link is busy.
inline double links_busy(const SharedSeconds& busy) {
  double most = 0;
  for (int link = kResourceCount; link < kSharedCount; ++link) most = busy[link] > most ? busy[link] : most;
  return busy[static_cast<int>(Resource::kIci)] + most;
}

// Longer than any step. Durations are cut off here, so that sums and products of them stay finite; a step that reaches
// it overflowed.
inline constexpr double kForever = 1e18;

struct Demand {
  Step step = Step::kFree;
  Lane lane = Lane::kCompute;
  double issue = 0;              // kStart: seconds of the compute stream; kLoop: the overhead of one iteration
  double seconds = 0;            // of one execution on an otherwise idle machine; kStart: of the transfer
  SharedSeconds busy = {};       // during those seconds
  InstructionId carried_by;      // kStart: another start whose transfer this one's is; a done waits for that too
  bool is_issued_ahead = false;  // kStart: by the step before, so that its done waits for nothing

  // The start whose transfer is that of `start`, which this demand is of.
  InstructionId transfer_of(InstructionId start) const { return carried_by.valid() ? carried_by : start; }
};

// The same if `resource` were free: what takes as long as its slowest resource and a floor takes as long as the slowest
// of the others. kIci frees all links, kLatency the floors and the waits of the compute stream.
Demand without(const Demand& demand, Resource resource);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_DEMAND_H_
