// Replays the step. The compute stream executes the instructions in text order, starts issue transfers, and dones wait
// for the rest of those transfers.
//
// Each computation is replayed once, before its callers, regardless of how many callers it has and how often they run
// it. The results are kept: after an edit, only the computations with steps that changed are replayed again, and their
// callers if that has another result; and of each pass over their steps only a part (pass.h).
#ifndef HLOROOF_LIB_SCHEDULE_REPLAYER_H_
#define HLOROOF_LIB_SCHEDULE_REPLAYER_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "hloroof/analysis.h"
#include "lib/analysis/calls.h"
#include "lib/base/paged_table.h"
#include "lib/schedule/async_pairs.h"
#include "lib/schedule/critical_path.h"
#include "lib/schedule/demand.h"
#include "lib/schedule/list_schedule.h"
#include "lib/schedule/machine.h"
#include "lib/schedule/pass.h"

namespace hloroof::internal::inline schedule {

// What all executions of one computation add to the sums.
struct PartialSums {
  double serial_seconds = 0;
  SharedSeconds busy = {};
  std::vector<Wait> waits;  // of its steps, sorted by op, awaited and cause; each combination occurs once
};

// Sums over the whole step. They are added up by computation, so that an edit changes the terms of a few computations
// and the sums of those terms, and has the sums of the module from scratch to the last bit.
struct ReplaySums {
  std::vector<double> executions;       // by ComputationId: how often it runs, with the branches that the replay took
  double seconds = 0;                   // the step
  double serial_seconds = 0;            // the step without any overlap
  std::vector<double> exposed;          // by InstructionId: seconds of the step that the compute stream spends in it
  std::vector<double> waited;           // by InstructionId: the sum of its waits, which is a part of `exposed`
  SharedSeconds busy = {};              // the entry of kIci is that of the busiest link
  std::vector<ComputationId> executed;  // the scheduled computations that run, callers first
  PagedTable<PartialSums> of;           // by ComputationId, of those in `executed`
};

// Returns the waits of all computations, sorted by op, awaited and cause.
std::vector<Wait> all_waits(const ReplaySums& sums);

// Number of iterations of a loop body whose events are recorded.
inline constexpr std::size_t kRecordedIterations = 3;

// The events of one computation, if recording is on. Times are relative to the beginning of the computation.
struct ReplayRecord {
  struct Stretch {
    InstructionId id;
    Lane lane = Lane::kCompute;
    double begin = 0;
    double end = 0;
    InstructionId awaited;  // the start of the transfer that the compute stream waits for, if it waits
  };
  // A further iteration of a loop body, in which its instructions run from `begin` to `end`.
  struct Iteration {
    double begin = 0;
    double end = 0;
    std::vector<Stretch> events;  // transfers come last
  };
  std::vector<Stretch> first;  // of the first iteration; transfers come last
  double first_end = 0;
  // The iterations after the first, at most kRecordedIterations - 1. All that follow are like the last of them, unless
  // the loop takes longer to reach its steady state.
  std::vector<Iteration> later;
  PathRecord last;  // of the last replayed iteration, which represents all later ones
};

// What is no longer as replay() found it the last time. A step is an instruction whose demand is not free.
struct ReplayChanges {
  std::vector<bool> whole;           // by ComputationId: everything; shorter than all: none of the rest
  std::vector<bool> order;           // by ComputationId: which steps it has, and their order
  std::vector<InstructionId> steps;  // what these steps do, themselves or in what they call

  void replay_all(ComputationId id) { set(id, whole); }
  void order_changed(ComputationId id) { set(id, order); }
  bool is_whole(ComputationId id) const { return is_in(id, whole); }
  bool has_other_order(ComputationId id) const { return is_in(id, order); }

 private:
  static bool is_in(ComputationId id, const std::vector<bool>& list) {
    return id.index < list.size() && list[id.index];
  }
  static void set(ComputationId id, std::vector<bool>& list) {
    if (id.index >= list.size()) list.resize(id.index + 1, false);
    list[id.index] = true;
  }
};

// Not thread-safe. The module and the arguments of replay() must outlive it.
class Replayer {
 public:
  // If `record` is true, replay() fills in the records and begin().
  Replayer(const Module& module, bool record) : module_(module), record_(record) {}

  // Replays what `changes` concerns and what has not been replayed yet. A conditional whose branch probabilities are
  // not in `calls` takes its slowest branch.
  //
  // A module without a schedule runs in the order of `schedule`. That also lists the waits for transfers that have no
  // done. The time that an instruction waits for such a transfer is exposed time of the transfer.
  void replay(const CallGraph& calls, const AsyncPairs& pairs, const PagedTable<Demand>& demands,
              const ListSchedule& schedule, const ReplayChanges& changes);

  // Forgets the instructions and computations that the module no longer has room for. Call replay() for the
  // computations that they changed first.
  void cut() {
    resize();
    forget_sums();
  }

  // The branches taken by conditionals whose probabilities are not in the call graph. CallFacts::executions_with()
  // turns them into the number of times that each computation runs in the step.
  const BranchProbabilities& branches() const { return branches_; }

  // Call this after replay(), with the same arguments. Reads sums.executions and computes the other members. If it has
  // been called before, `sums` must be what that call left, with other `executions`; it then computes again what
  // replays and executions changed. Returns the computations of which it did.
  std::vector<ComputationId> add_up(const CallGraph& calls, const PagedTable<Demand>& demands, ReplaySums& sums);

  // Call this before add_up() gets other sums than those of its last call.
  void forget_sums();

  // Returns the seconds of the step. Call this after replay().
  double seconds() const;

  // ---- Other orders of the entry -----------------------------------------------------------------------------------
  //
  // A search for an order tries many that differ in a few places. Each is replayed from shortly before the first of
  // them until the machine is again in a state that it was in.

  // Returns the seconds of the step if the steps of the entry from `first` on were `steps` instead, which are the same
  // ones in another order. The result is that of replay() but for rounding. Call it after replay() with arguments that
  // are still there, for a module that has a schedule.
  double entry_seconds_if(std::size_t first, absl::Span<const InstructionId> steps);

  // The number of steps that replay() has replayed so far. A test holds it against the number of steps.
  std::uint64_t steps_replayed() const { return steps_replayed_; }

  const ReplayRecord& record(ComputationId id) const { return records_[id.index]; }
  const std::vector<ReplayRecord>& records() const { return records_; }
  double begin(InstructionId id) const { return begin_[id.index]; }

  // Returns when iteration `iteration` of a loop body begins, from the beginning of the first.
  double iteration_begin(ComputationId body, std::size_t iteration) const {
    return replayed_[body.index].seconds(static_cast<double>(iteration));
  }

 private:
  // The result of replaying a computation.
  struct Replayed {
    std::vector<double> ends;          // the clock after each replayed iteration; one entry if not a loop body
    double steady = 0;                 // seconds of every further iteration
    SharedSeconds busy = {};           // in one iteration
    std::vector<Pass> passes;          // the replayed iterations
    std::vector<Flight> left;          // transfers in flight at the end
    std::vector<InstructionId> steps;  // instructions whose step is not kFree
    InstructionId last_start;          // the last transfer started
    bool has_run = false;
    bool is_added = false;  // the sums have this result

    // Whether the callers of the computation see the same.
    bool is_like(const Replayed& other) const;

    double seconds(double iterations) const;
  };

  // What add_up() has added of a computation.
  struct Added {
    double executions = 0;
    double entered = 0;
    std::vector<InstructionId> steps;
  };

  // What the callees of an instruction do in one interval of average load.
  struct CalleeRun {
    double inside = 0;  // seconds of the callees
    double own = 0;     // seconds of the instruction itself
    SharedSeconds busy = {};
    std::vector<Flight> left;
  };
  // The steps of the last replay that are the same ones now: this many at the beginning and at the end.
  struct Unchanged {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  // A part of what an instruction does, for which the compute stream takes time.
  enum class Took : std::uint8_t {
    kRun,    // works
    kBegin,  // waits until a transfer can begin, which begins then
    kHold,   // waits for the first part of a transfer
    kEnd,    // waits for the end of a transfer
  };

  template <typename Seen, typename Callees>
  void perform(InstructionId id, Machine& machine, const Seen& seen, const Callees& callees);
  void advance(InstructionId id, Machine& machine);
  void resize();
  std::vector<InstructionId> list_steps(ComputationView computation) const;
  Unchanged compare(const Replayed& before, const std::vector<InstructionId>& steps,
                    const std::vector<bool>& is_other) const;
  Replayed replay_computation(ComputationView computation, bool has_other_order, const std::vector<bool>& is_other);
  void replay_pass(ComputationView computation, std::size_t iteration, Pass* before, Unchanged unchanged,
                   Machine& machine, Replayed& result);
  void replay_steps(std::size_t iteration, Pass* before, Unchanged unchanged, Machine& machine, Replayed& result);
  void add_busy(Replayed& result);
  double replay_step(InstructionId id, Machine& machine, Pass& pass, std::size_t iteration);
  void note_wait(InstructionId op, InstructionId awaited, double waited, const Machine& machine, Pass& pass);
  void wait_for_transfer(InstructionId transfer, Machine& machine, Pass& pass, std::size_t iteration);
  void expose_steps(ComputationId id, const CallGraph& calls, const PagedTable<Demand>& demands, ReplaySums& sums);
  std::vector<Wait> waits_of(ComputationId id) const;
  CalleeRun find_callees(InstructionView instruction, const Demand& demand);
  static double run_callees(const CalleeRun& run, Machine& machine);
  std::vector<double> branch_probabilities(InstructionView conditional, const std::vector<ComputationId>& branches);
  void finish(Machine& machine, const std::vector<ComputationId>& order);
  std::vector<ReplayRecord::Stretch>* recorded_events(ComputationId computation, std::size_t iteration);
  void record_transfers(ComputationView computation, Machine& machine);
  double entries(const CallGraph& calls, const std::vector<double>& executions, ComputationView computation) const;

  const Module& module_;
  const bool record_;
  const CallGraph* calls_ = nullptr;  // of the replay() in progress
  const AsyncPairs* pairs_ = nullptr;
  const PagedTable<Demand>* demands_ = nullptr;
  const ListSchedule* schedule_ = nullptr;
  const std::vector<ComputationId>* order_ = nullptr;

  std::vector<Replayed> replayed_;    // by ComputationId
  std::vector<std::int64_t> trips_;   // by ComputationId, of loop bodies
  std::vector<std::size_t> step_at_;  // by InstructionId: its index among the steps, if the module has no schedule
  InstructionId drained_;             // the last transfer started; charged with the wait at the end of the step
  double drained_seconds_ = 0;        // the wait at the end of the step
  std::vector<Wait> drained_waits_;   // the parts of that wait
  BranchProbabilities branches_;
  std::uint64_t steps_replayed_ = 0;
  bool has_added_ = false;       // add_up() has been called
  std::vector<Added> added_;     // by ComputationId
  InstructionId added_drained_;  // drained_, drained_seconds_ and drained_waits_ at the last add_up()
  double added_drained_seconds_ = 0;
  std::vector<Wait> added_drained_waits_;
  std::unordered_map<std::uint32_t, CalleeRun> entry_callees_;  // since the last replay(), by InstructionId
  // Filled in only if record_ is true:
  std::vector<ReplayRecord> records_;  // by ComputationId
  std::vector<double> begin_;          // by InstructionId: in the first iteration
  std::vector<double> flight_begin_;   // by InstructionId of a start: when the transfer began
};

}  // namespace hloroof::internal::inline schedule

#endif  // HLOROOF_LIB_SCHEDULE_REPLAYER_H_
