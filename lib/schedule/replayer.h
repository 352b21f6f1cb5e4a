// The step replayed: the compute stream goes through the instructions in the order of the text, starts issue transfers,
// dones wait for what is left of them.
//
// A computation is replayed once whatever calls it and however often, before those that call it. What came of it is
// kept, so that after an edit only the computation that was edited and those that call it are replayed again.
#ifndef HLOROOF_LIB_SCHEDULE_REPLAYER_H_
#define HLOROOF_LIB_SCHEDULE_REPLAYER_H_

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "hloroof/analysis.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/critical_path.h"
#include "lib/schedule/demand.h"
#include "lib/schedule/list_schedule.h"
#include "lib/schedule/machine.h"

namespace hloroof::inline v0 {

// Sums over the whole step.
struct ReplaySums {
  double seconds = 0;           // the step
  double serial_seconds = 0;    // everything one after another
  std::vector<double> exposed;  // by InstructionId: seconds of the step the compute stream spends in it
  SharedSeconds busy = {};      // the resource kIci is its busiest link
};

// What happened in one computation, where that is recorded; times are from its beginning.
struct ReplayRecord {
  struct Stretch {
    InstructionId id;
    Lane lane = Lane::kCompute;
    double begin = 0;
    double end = 0;
  };
  std::vector<Stretch> first;  // of the first iteration, transfers behind the rest
  PathRecord last;             // of the last iteration replayed: it stands for those that follow
};

// Not thread-safe. The module, and what replay() is given, must outlive it.
class Replayer {
 public:
  using Probabilities = std::map<std::uint32_t, std::vector<double>>;  // of branches, by index of the conditional

  // With `record` the records and begin() are filled in.
  Replayer(const Module& module, Probabilities branch_probabilities, bool record)
      : module_(module), given_(std::move(branch_probabilities)), record_(record) {}

  // Replays the computations that are marked in `stale` (by ComputationId) and those that call them. Conditionals whose
  // probabilities are not given take their slowest branch, and `calls` is told so where it does not know it.
  //
  // A module without a schedule of its own runs in the order of `schedule`, which also says where transfers end that
  // have no done: what they make an instruction wait is exposed time of the transfer.
  void replay(CallGraph& calls, const AsyncPairs& pairs, const std::vector<Demand>& demands,
              const ListSchedule& schedule, std::vector<bool> stale);

  // To be called after replay(), with what it was given.
  void add_up(const CallGraph& calls, const std::vector<Demand>& demands, ReplaySums& sums) const;

  // Of the step, after replay().
  double seconds() const;

  // `calls` was made anew: it is to be told the branches again.
  void forget_told() { told_.clear(); }

  const ReplayRecord& record(ComputationId id) const { return records_[id.index]; }
  const std::vector<ReplayRecord>& records() const { return records_; }
  double begin(InstructionId id) const { return begin_[id.index]; }

 private:
  // What is known of a computation once it has been replayed.
  struct Replayed {
    std::vector<double> ends;          // the clock after each replayed iteration; one entry for what is no loop body
    double steady = 0;                 // seconds of every further iteration
    SharedSeconds busy = {};           // over the replayed iterations
    std::vector<Flight> left;          // under way at the end
    std::vector<InstructionId> steps;  // the instructions that do anything
    InstructionId last_start;          // of a transfer
    bool has_run = false;

    double seconds(double iterations) const;
  };

  void resize();
  void replay_computation(ComputationView computation);
  void replay_once(ComputationView computation, Machine& machine, Replayed& result, bool is_first);
  void replay_step(InstructionId id, Machine& machine, Replayed& result, bool is_first);
  void wait_for_transfer(InstructionId transfer, Machine& machine);
  double run_callees(InstructionView instruction, const Demand& demand, Machine& machine, Replayed& result);
  std::vector<double> branch_probabilities(InstructionView conditional, const std::vector<ComputationId>& branches);
  void finish(Machine& machine, const std::vector<ComputationId>& order);
  void record_transfers(ComputationView computation, Machine& machine, double first_end);
  double entries(const CallGraph& calls, ComputationView computation) const;

  const Module& module_;
  const Probabilities given_;
  const bool record_;
  const CallGraph* calls_ = nullptr;  // of the replay() under way
  const AsyncPairs* pairs_ = nullptr;
  const std::vector<Demand>* demands_ = nullptr;
  const ListSchedule* schedule_ = nullptr;
  const std::vector<ComputationId>* order_ = nullptr;

  std::vector<Replayed> replayed_;   // by ComputationId
  std::vector<std::int64_t> trips_;  // by ComputationId, of loop bodies
  std::vector<double> first_;        // by InstructionId: exposed seconds over the replayed iterations
  std::vector<double> last_;         // and in the last of them
  InstructionId drained_;            // the last transfer started, which the end of the step waits for,
  double drained_seconds_ = 0;       // and for how long
  std::unordered_map<std::uint32_t, std::vector<double>> chosen_;  // by index of the conditional
  std::unordered_map<std::uint32_t, std::vector<double>> told_;    // and what the call graph knows of it
  // Where recorded:
  std::vector<ReplayRecord> records_;  // by ComputationId
  std::vector<double> begin_;          // by InstructionId: in the first iteration
  std::vector<double> flight_begin_;   // by InstructionId of a start: when the transfer began
};

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_SCHEDULE_REPLAYER_H_
