#include "lib/schedule/timeline.h"

#include <algorithm>
#include <cmath>

#include "lib/schedule/critical_path.h"
#include "lib/schedule/machine.h"

namespace hloroof::inline v0 {
namespace {

// How many iterations of a loop body are replayed before the last one is taken for all others. Software-pipelined
// transfers settle after two or three.
constexpr std::int64_t kMaxReplayedIterations = 16;

// What is known of a computation once it has been replayed.
struct Replayed {
  std::vector<double> ends;  // the clock after each replayed iteration; one entry for what is no loop body
  double steady = 0;         // seconds of every further iteration
  SharedSeconds busy = {};   // over the replayed iterations
  std::vector<Flight> left;  // under way at the end

  double seconds(double iterations) const {
    if (iterations <= 0 || ends.empty()) return 0;
    const auto replayed = static_cast<double>(ends.size());
    if (iterations < replayed) return ends[static_cast<std::size_t>(std::max(1.0, iterations)) - 1];
    return ends.back() + (iterations - replayed) * steady;
  }
};

// True if the same transfers are under way with as much left to do.
bool same_state(const std::vector<Flight>& a, const std::vector<Flight>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].start != b[i].start) return false;
    if (std::abs(a[i].remaining - b[i].remaining) > 1e-9 * std::max(a[i].remaining, b[i].remaining)) return false;
  }
  return true;
}

class Replay {
 public:
  Replay(const Module& module, CallGraph& calls, const AsyncPairs& pairs, const std::vector<Demand>& demands,
         const std::map<std::uint32_t, std::vector<double>>& branch_probabilities, const ListSchedule& schedule)
      : module_(module),
        calls_(calls),
        pairs_(pairs),
        demands_(demands),
        branch_probabilities_(branch_probabilities),
        schedule_(schedule),
        replayed_(module.computation_limit()),
        trips_(module.computation_limit(), 1),
        first_(module.instruction_limit(), 0),
        last_(module.instruction_limit(), 0),
        begin_(module.instruction_limit(), 0),
        records_(module.computation_limit()),
        flight_begin_(module.instruction_limit(), 0) {
    timeline_.exposed.assign(module.instruction_limit(), 0);
  }

  Timeline run() {
    for (const CallGraph::Loop& loop : calls_.loops()) {
      for (ComputationView body : module_.instruction(loop.instruction).computations(AttributeKey::kBody)) {
        trips_[body.id().index] = std::max(trips_[body.id().index], loop.trips.value);
      }
    }
    std::vector<ComputationId> order;
    // Callees come before their callers, so that each computation meets only finished ones.
    for (ComputationView computation : module_.computations()) {
      if (!calls_.is_scheduled(computation.id())) continue;
      replay_computation(computation);
      order.push_back(computation.id());
    }
    for (auto& [conditional, probabilities] : chosen_branches_)
      calls_.set_branch_probabilities(conditional, probabilities);
    add_up();
    timeline_.critical = critical_seconds(module_, order, records_);
    place_events();
    return std::move(timeline_);
  }

 private:
  struct LocalEvent {
    ComputationId computation;
    TimelineEvent event;
  };

  void replay_computation(ComputationView computation) {
    Machine machine;
    Replayed& result = replayed_[computation.id().index];
    const std::int64_t iterations = std::min(kMaxReplayedIterations, trips_[computation.id().index]);
    std::vector<Flight> state_before;
    double before = 0;
    for (std::int64_t i = 0; i < iterations; ++i) {
      replay_once(computation, machine, result, /*record=*/i == 0);
      if (computation.is_entry()) finish(machine);
      result.ends.push_back(machine.now());
      result.steady = machine.now() - before;
      before = machine.now();
      if (same_state(state_before, machine.in_flight())) break;
      state_before = machine.in_flight();
    }
    result.left = machine.in_flight();
    record_transfers(computation, machine, result.ends.empty() ? 0 : result.ends.front());
  }

  void replay_once(ComputationView computation, Machine& machine, Replayed& result, bool record) {
    // Of all iterations the last one's record is kept: it stands for those that follow.
    record_ = &records_[computation.id().index];
    *record_ = PathRecord();
    record_->begin = machine.now();
    if (schedule_.empty()) {
      for (InstructionView instruction : computation.instructions()) {
        replay_instruction(instruction, machine, result, record);
      }
      return;
    }
    const std::vector<InstructionId>& order = schedule_.order[computation.id().index];
    for (InstructionId id : order) {
      for (InstructionId transfer : schedule_.waits[id.index]) wait_for_transfer(transfer, machine);
      replay_instruction(module_.instruction(id), machine, result, record);
    }
    // What the results hold is there when the computation ends.
    for (InstructionId id : order) {
      if (demands_[id.index].step == Step::kStart && work_class(module_.data(id).opcode) == WorkClass::kCollective) {
        wait_for_transfer(id, machine);
      }
    }
  }

  // Waits for a transfer that has no done.
  void wait_for_transfer(InstructionId transfer, Machine& machine) {
    const double begin = machine.now();
    const double waited = machine.wait(transfer);
    if (waited <= 0) return;
    record_->steps.push_back({transfer, begin, machine.now(), waited, transfer, flight_begin_[transfer.index]});
    first_[transfer.index] += waited;
    last_[transfer.index] += waited;
  }

  void replay_instruction(InstructionView instruction, Machine& machine, Replayed& result, bool record) {
    const InstructionId id = instruction.id();
    const Demand& demand = demands_[id.index];
    if (demand.step == Step::kFree) return;
    const double begin = machine.now();
    double exposed = 0;
    InstructionId waited_for;
    switch (demand.step) {
      case Step::kFree: break;
      case Step::kRun:
        exposed = machine.run(demand.seconds, demand.busy);
        add(result.busy, demand.busy, 1);
        break;
      case Step::kStart:
        exposed = machine.run(demand.issue, {}) + machine.start(id, demand);
        flight_begin_[id.index] = machine.now();
        add(result.busy, demand.busy, 1);
        last_start_ = id;
        break;
      case Step::kDone:
        exposed = machine.run(demand.seconds, demand.busy);
        for (InstructionId start : pairs_.starts_of(id)) {
          const double waited = machine.wait(start);
          if (waited > 0) waited_for = start;
          exposed += waited;
        }
        break;
      case Step::kLoop:
      case Step::kBranch:
      case Step::kCall: exposed = run_callees(instruction, demand, machine, result); break;
    }
    first_[id.index] += exposed;
    last_[id.index] = exposed;
    if (machine.now() > begin) {
      record_->steps.push_back(
          {id, begin, machine.now(), exposed, waited_for, waited_for.valid() ? flight_begin_[waited_for.index] : 0});
    }
    if (record) {
      begin_[id.index] = begin;
      if (machine.now() > begin) {
        events_.push_back(
            {instruction.computation().id(), {id, std::string(to_string(Lane::kCompute)), begin, machine.now(), 1}});
      }
    }
  }

  // Runs what an instruction calls as one stretch of average load; what that leaves under way goes on beside the
  // caller. Returns the seconds that are the instruction's own: overhead, and slowing down by what the caller has under
  // way.
  double run_callees(InstructionView instruction, const Demand& demand, Machine& machine, Replayed& result) {
    double inside = 0;
    double own = 0;
    SharedSeconds busy = {};
    std::vector<const Flight*> left;
    const auto call = [&](ComputationView callee, double times, bool in_sequence) {
      const Replayed& replayed = replayed_[callee.id().index];
      if (replayed.ends.empty() || times <= 0) return;
      inside += in_sequence ? replayed.seconds(times) : times * replayed.seconds(1);
      add(busy, replayed.busy, times / static_cast<double>(replayed.ends.size()));
      record_->calls.push_back({instruction.id(), {callee.id(), times}});
      for (const Flight& flight : replayed.left) left.push_back(&flight);
    };
    if (demand.step == Step::kLoop) {
      const TripCount* trips = calls_.trip_count(instruction.id());
      const double n = trips != nullptr ? static_cast<double>(trips->value) : 1;
      for (ComputationView body : instruction.computations(AttributeKey::kBody)) call(body, n, true);
      for (ComputationView condition : instruction.computations(AttributeKey::kCondition))
        call(condition, n + 1, false);
      own = n * demand.issue;
    } else {
      const std::vector<ComputationId> callees = instruction.called_computations();
      const std::vector<double> probabilities = demand.step == Step::kBranch
                                                    ? branch_probabilities(instruction, callees)
                                                    : std::vector<double>(callees.size(), 1);
      for (std::size_t i = 0; i < callees.size(); ++i) call(module_.computation(callees[i]), probabilities[i], false);
      own = demand.seconds;
    }
    inside = std::min(inside, kForever);
    const double took = machine.run(inside + own, busy);
    add(result.busy, busy, 1);
    for (const Flight* flight : left) {
      Flight moved = *flight;
      moved.begin = machine.now();
      machine.adopt(moved);
    }
    return std::max(0.0, took - inside);
  }

  std::vector<double> branch_probabilities(InstructionView conditional, const std::vector<ComputationId>& branches) {
    const auto given = branch_probabilities_.find(conditional.id().index);
    if (given != branch_probabilities_.end()) {
      std::vector<double> probabilities = given->second;
      probabilities.resize(branches.size(), 0);
      return probabilities;
    }
    std::vector<double> probabilities(branches.size(), 0);
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < branches.size(); ++i) {
      if (replayed_[branches[i].index].seconds(1) > replayed_[branches[slowest].index].seconds(1)) slowest = i;
    }
    if (!branches.empty()) probabilities[slowest] = 1;
    chosen_branches_.emplace_back(conditional.id(), probabilities);
    return probabilities;
  }

  // The step is over when nothing is under way any more; the wait is charged to the last start.
  void finish(Machine& machine) {
    const double began = machine.now();
    const double waited = machine.drain();
    if (waited > 0 && last_start_.valid()) {
      record_->steps.push_back(
          {last_start_, began, machine.now(), waited, last_start_, flight_begin_[last_start_.index]});
      first_[last_start_.index] += waited;
      last_[last_start_.index] += waited;
    }
  }

  // Transfers that began in the first iteration.
  void record_transfers(ComputationView computation, Machine& machine, double first_end) {
    for (const FinishedFlight& flight : machine.take_finished()) {
      if (flight.begin > first_end || module_.data(flight.start).computation != computation.id()) continue;
      events_.push_back(
          {computation.id(), {flight.start, std::string(to_string(flight.lane)), flight.begin, flight.end, 1}});
    }
  }

  static void add(SharedSeconds& sum, const SharedSeconds& more, double times) {
    for (int r = 0; r < kSharedCount; ++r) sum[r] = std::min(kForever, sum[r] + times * more[r]);
  }

  // How often a computation is entered: a loop body once for all its iterations.
  double entries(ComputationView computation) const {
    if (calls_.role(computation.id()) != ComputationRole::kBody) return calls_.executions(computation.id());
    double sum = 0;
    for (InstructionId caller : calls_.callers(computation.id())) sum += calls_.executions(module_.instruction(caller));
    return sum;
  }

  void add_up() {
    for (ComputationId id : calls_.scheduled()) {
      const ComputationView computation = module_.computation(id);
      const double executions = calls_.executions(id);
      if (executions <= 0) continue;
      const double entered = entries(computation);
      const auto replayed = static_cast<double>(replayed_[id.index].ends.size());
      for (InstructionView instruction : computation.instructions()) {
        const std::uint32_t i = instruction.id().index;
        const Demand& demand = demands_[i];
        if (demand.step == Step::kFree) continue;
        const double further = executions - entered * replayed;
        timeline_.exposed[i] =
            further >= 0 ? entered * first_[i] + further * last_[i] : executions * first_[i] / std::max(1.0, replayed);
        double serial = demand.seconds + demand.issue;
        if (demand.step == Step::kLoop) {
          const TripCount* trips = calls_.trip_count(instruction.id());
          serial = demand.issue * (trips != nullptr ? static_cast<double>(trips->value) : 1);
        }
        timeline_.serial_seconds += executions * serial;
        add(timeline_.busy, demand.busy, executions);
      }
    }
    timeline_.busy[static_cast<int>(Resource::kIci)] = std::min(kForever, links_busy(timeline_.busy));
    if (module_.has_entry()) timeline_.seconds = replayed_[module_.entry().id().index].seconds(1);
  }

  // From times within each computation to times within the step: a computation begins where its first caller does.
  void place_events() {
    std::vector<double> offset(module_.computation_limit(), 0);
    std::vector<bool> placed(module_.computation_limit(), false);
    for (ComputationId id : calls_.scheduled()) {
      for (InstructionId caller : calls_.callers(id)) {
        const ComputationId outer = module_.data(caller).computation;
        if (!placed[outer.index] || placed[id.index]) continue;
        offset[id.index] = offset[outer.index] + begin_[caller.index];
        placed[id.index] = true;
      }
      if (module_.computation(id).is_entry()) placed[id.index] = true;
    }
    for (LocalEvent& local : events_) {
      const double executions = calls_.executions(local.computation);
      if (!placed[local.computation.index] || executions <= 0) continue;
      local.event.begin += offset[local.computation.index];
      local.event.end += offset[local.computation.index];
      local.event.executions = executions;
      timeline_.events.push_back(std::move(local.event));
    }
    std::stable_sort(timeline_.events.begin(), timeline_.events.end(),
                     [](const TimelineEvent& a, const TimelineEvent& b) { return a.begin < b.begin; });
  }

  const Module& module_;
  CallGraph& calls_;
  const AsyncPairs& pairs_;
  const std::vector<Demand>& demands_;
  const std::map<std::uint32_t, std::vector<double>>& branch_probabilities_;
  const ListSchedule& schedule_;
  std::vector<Replayed> replayed_;    // by ComputationId
  std::vector<std::int64_t> trips_;   // by ComputationId, of loop bodies
  std::vector<double> first_;         // by InstructionId: exposed seconds over the replayed iterations
  std::vector<double> last_;          // and in the last of them
  std::vector<double> begin_;         // in the first, from the start of the computation
  std::vector<PathRecord> records_;   // by ComputationId, of the last iteration replayed
  PathRecord* record_ = nullptr;      // of the computation at hand
  std::vector<double> flight_begin_;  // by InstructionId of a start: when the transfer began
  std::vector<LocalEvent> events_;
  std::vector<std::pair<InstructionId, std::vector<double>>> chosen_branches_;
  InstructionId last_start_;
  Timeline timeline_;
};

}  // namespace

Timeline replay(const Module& module, CallGraph& calls, const AsyncPairs& pairs, const std::vector<Demand>& demands,
                const std::map<std::uint32_t, std::vector<double>>& branch_probabilities,
                const ListSchedule& schedule) {
  return Replay(module, calls, pairs, demands, branch_probabilities, schedule).run();
}

}  // namespace hloroof::inline v0
