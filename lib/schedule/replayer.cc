#include "lib/schedule/replayer.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"

namespace hloroof::internal::inline schedule {
namespace {

// Maximum number of iterations of a loop body that are replayed. The last one represents the rest. Software-pipelined
// transfers reach a steady state after two or three.
constexpr std::int64_t kMaxReplayedIterations = 16;

// Steps of the entry between two states that are remembered. With more of them, a replay begins farther before the
// first difference; with fewer, more states are copied.
constexpr std::size_t kStatesApart = 16;

// Returns true if the same transfers are in flight with the same remaining time.
bool same_state(const std::vector<Flight>& a, const std::vector<Flight>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].start != b[i].start || a[i].is_moving() != b[i].is_moving()) return false;
    if (std::abs(a[i].remaining - b[i].remaining) > 1e-9 * std::max(a[i].remaining, b[i].remaining)) return false;
  }
  return true;
}

// The transfer that begins when the instruction of `demand` ends.
Demand between_slices(const Demand& demand) {
  Demand transfer;
  transfer.step = Step::kStart;
  transfer.lane = Lane::kDcn;
  transfer.seconds = demand.between_seconds;
  transfer.busy[static_cast<int>(Resource::kDcn)] = demand.between_busy;
  return transfer;
}

// Adds waits to the sums, in which no op has any of them yet: the same op for the same transfer with the same cause
// once.
void merge_waits(std::vector<Wait> waits, ReplaySums& sums) {
  const auto key = [](const Wait& wait) { return std::tuple(wait.op.index, wait.awaited.index, wait.cause.index); };
  const auto is_before = [&](const Wait& a, const Wait& b) { return key(a) < key(b); };
  std::stable_sort(waits.begin(), waits.end(), is_before);
  const auto known = static_cast<std::ptrdiff_t>(sums.waits.size());
  for (const Wait& wait : waits) {
    if (sums.waits.size() > static_cast<std::size_t>(known) && key(sums.waits.back()) == key(wait)) {
      sums.waits.back().seconds += wait.seconds;
    } else {
      sums.waits.push_back(wait);
    }
  }
  const auto first = sums.waits.begin() + known;
  for (auto wait = first; wait != sums.waits.end(); ++wait) sums.waited[wait->op.index] += wait->seconds;
  std::inplace_merge(sums.waits.begin(), first, sums.waits.end(), is_before);
}

void add(SharedSeconds& sum, const SharedSeconds& more, double times) {
  for (int r = 0; r < kSharedCount; ++r) sum[r] = std::min(kForever, sum[r] + times * more[r]);
}

}  // namespace

double Replayer::Replayed::seconds(double iterations) const {
  if (iterations <= 0 || ends.empty()) return 0;
  const auto replayed = static_cast<double>(ends.size());
  if (iterations < replayed) return ends[static_cast<std::size_t>(std::max(1.0, iterations)) - 1];
  return ends.back() + (iterations - replayed) * steady;
}

void Replayer::resize() {
  replayed_.resize(module_.computation_limit());
  trips_.assign(module_.computation_limit(), 1);
  first_.resize(module_.instruction_limit(), 0);
  last_.resize(module_.instruction_limit(), 0);
  if (!record_) return;
  records_.resize(module_.computation_limit());
  begin_.resize(module_.instruction_limit(), 0);
  flight_begin_.resize(module_.instruction_limit(), 0);
}

void Replayer::replay(const CallGraph& calls, const AsyncPairs& pairs, const PagedTable<Demand>& demands,
                      const ListSchedule& schedule, std::vector<bool> stale) {
  resize();
  stale.resize(module_.computation_limit(), false);
  calls_ = &calls;
  pairs_ = &pairs;
  demands_ = &demands;
  schedule_ = &schedule;
  for (const CallGraph::Loop& loop : calls.loops()) {
    for (ComputationView body : module_.instruction(loop.instruction).computations(AttributeKey::kBody)) {
      trips_[body.id().index] = std::max(trips_[body.id().index], loop.trips.value);
    }
  }
  // Callees come before their callers, so that every callee has been replayed before it is needed.
  const std::vector<ComputationId> order(CallFacts::scheduled(calls).rbegin(), CallFacts::scheduled(calls).rend());
  order_ = &order;
  for (ComputationId id : order) {
    if (!stale[id.index] && replayed_[id.index].has_run) continue;
    replay_computation(module_.computation(id));
    for (InstructionId caller : CallFacts::callers(calls, id)) stale[row_of(module_, caller).computation.index] = true;
  }
}

void Replayer::replay_computation(ComputationView computation) {
  Machine machine;
  Replayed& result = replayed_[computation.id().index];
  result = Replayed();
  result.has_run = true;
  for (InstructionView instruction : computation.instructions()) {
    const std::uint32_t i = instruction.id().index;
    first_[i] = last_[i] = 0;
    if (schedule_->empty() && (*demands_)[i].step != Step::kFree) result.steps.push_back(instruction.id());
  }
  if (!schedule_->empty()) {
    for (InstructionId id : schedule_->order[computation.id().index]) {
      if ((*demands_)[id.index].step != Step::kFree) result.steps.push_back(id);
    }
  }
  if (record_) records_[computation.id().index] = ReplayRecord();
  const std::int64_t iterations = std::min(kMaxReplayedIterations, trips_[computation.id().index]);
  std::vector<Flight> state_before;
  double before = 0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    replay_once(computation, machine, result, static_cast<std::size_t>(i));
    if (computation.is_entry()) finish(machine, *order_);
    result.ends.push_back(machine.now());
    result.steady = machine.now() - before;
    if (record_) {
      ReplayRecord& record = records_[computation.id().index];
      if (i == 0) {
        record.first_end = machine.now();
      } else if (static_cast<std::size_t>(i) < kRecordedIterations) {
        record.later.back().end = machine.now();
      }
    }
    before = machine.now();
    if (same_state(state_before, machine.in_flight())) break;
    state_before = machine.in_flight();
  }
  result.left = machine.in_flight();
  if (record_) record_transfers(computation, machine);
}

void Replayer::replay_once(ComputationView computation, Machine& machine, Replayed& result, std::size_t iteration) {
  result.last_waits = result.waits.size();
  if (record_) {
    PathRecord& path = records_[computation.id().index].last;
    path = PathRecord();
    path.begin = machine.now();
    if (iteration > 0 && iteration < kRecordedIterations) {
      records_[computation.id().index].later.push_back({machine.now(), machine.now(), {}});
    }
  }
  if (schedule_->empty()) {
    for (InstructionId id : result.steps) replay_step(id, machine, result, iteration);
    return;
  }
  for (InstructionId id : result.steps) {
    for (InstructionId transfer : schedule_->waits[id.index]) wait_for_transfer(transfer, machine, result, iteration);
    replay_step(id, machine, result, iteration);
  }
  // The results of split collectives must be available when the computation ends.
  for (InstructionId id : result.steps) {
    const bool is_split = work_class(row_of(module_, id).opcode) == WorkClass::kCollective;
    if ((*demands_)[id.index].step == Step::kStart && is_split) wait_for_transfer(id, machine, result, iteration);
  }
}

// Records that the machine has just waited at `op`.
void Replayer::note_wait(InstructionId op, InstructionId awaited, double waited, const Machine& machine,
                         Replayed& result) {
  if (waited <= 0) return;
  for (const WaitPart& part : machine.causes()) result.waits.push_back({op, awaited, part.cause, part.seconds});
}

// Waits for a transfer that has no done.
void Replayer::wait_for_transfer(InstructionId transfer, Machine& machine, Replayed& result, std::size_t iteration) {
  const double begin = machine.now();
  const double waited = machine.wait(transfer);
  if (waited <= 0) return;
  first_[transfer.index] += waited;
  last_[transfer.index] += waited;
  note_wait(transfer, transfer, waited, machine, result);
  if (!record_) return;
  ReplayRecord& record = records_[row_of(module_, transfer).computation.index];
  record.last.steps.push_back({transfer, begin, machine.now(), waited, transfer, flight_begin_[transfer.index]});
  if (auto* events = recorded_events(row_of(module_, transfer).computation, iteration)) {
    events->push_back({transfer, Lane::kCompute, begin, machine.now(), transfer});
  }
}

// Does to the machine what the instruction does. Calls seen(took, transfer, seconds) for each part that takes time of
// the compute stream, and callees() for what an instruction calls.
template <typename Seen, typename Callees>
void Replayer::perform(InstructionId id, Machine& machine, const Seen& seen, const Callees& callees) {
  const Demand& demand = (*demands_)[id.index];
  switch (demand.step) {
    case Step::kFree: break;
    case Step::kRun: seen(Took::kRun, id, machine.run(demand.seconds, demand.busy)); break;
    case Step::kStart:
      seen(Took::kRun, id, machine.run(demand.issue, {}));
      for (const InstructionId begun : {id, demand.also_starts}) {
        if (!begun.valid() || (begun == id && demand.is_begun_by_other)) continue;
        seen(Took::kBegin, begun, machine.start(begun, (*demands_)[begun.index]));
      }
      if (demand.held > 0) seen(Took::kHold, id, machine.wait(id, demand.seconds - demand.held));
      break;
    case Step::kDone:
      seen(Took::kRun, id, machine.run(demand.seconds, demand.busy));
      for (InstructionId start : pairs_->starts_of(id)) {
        const Demand& of_start = (*demands_)[start.index];
        if (of_start.is_issued_ahead) continue;
        const InstructionId transfer = of_start.transfer_of(start);
        seen(Took::kEnd, transfer, machine.wait(transfer));
      }
      break;
    case Step::kLoop:
    case Step::kBranch:
    case Step::kCall: seen(Took::kRun, id, run_callees(callees(), machine)); break;
  }
  if (demand.between_seconds > 0) seen(Took::kBegin, id, machine.start(id, between_slices(demand)));
}

void Replayer::replay_step(InstructionId id, Machine& machine, Replayed& result, std::size_t iteration) {
  const Demand& demand = (*demands_)[id.index];
  const double begin = machine.now();
  double exposed = 0;
  std::vector<ReplayRecord::Stretch>* events = recorded_events(row_of(module_, id).computation, iteration);
  std::vector<ReplayRecord::Stretch> waits;  // at most one for each start of a done
  InstructionId waited_for;
  const auto seen = [&](Took took, InstructionId transfer, double seconds) {
    if (took == Took::kRun) {
      exposed = seconds;
      return;
    }
    if (took == Took::kEnd && seconds > 0) waited_for = transfer;
    note_wait(id, transfer, seconds, machine, result);
    exposed += seconds;
    if (events != nullptr && seconds > 0) {
      waits.push_back({id, Lane::kCompute, machine.now() - seconds, machine.now(), transfer});
    }
    if (took != Took::kBegin) return;
    if (record_) flight_begin_[transfer.index] = machine.now();
    result.last_start = transfer;
  };
  CalleeRun run;
  perform(id, machine, seen, [&]() -> const CalleeRun& {
    run = find_callees(module_.instruction(id), demand);
    add(result.busy, run.busy, 1);
    return run;
  });
  if (demand.step == Step::kRun || demand.step == Step::kStart) add(result.busy, demand.busy, 1);
  if (demand.between_seconds > 0) add(result.busy, between_slices(demand).busy, 1);
  first_[id.index] += exposed;
  last_[id.index] = exposed;
  if (!record_) return;
  ReplayRecord& record = records_[row_of(module_, id).computation.index];
  if (machine.now() > begin) {
    record.last.steps.push_back(
        {id, begin, machine.now(), exposed, waited_for, waited_for.valid() ? flight_begin_[waited_for.index] : 0});
  }
  if (events == nullptr) return;
  if (iteration == 0) begin_[id.index] = begin;
  const double worked = waits.empty() ? machine.now() : waits.front().begin;
  if (worked > begin) events->push_back({id, Lane::kCompute, begin, worked, {}});
  events->insert(events->end(), waits.begin(), waits.end());
}

// Finds what the callees of an instruction do in one interval of average load.
Replayer::CalleeRun Replayer::find_callees(InstructionView instruction, const Demand& demand) {
  CalleeRun run;
  PathRecord* path = record_ ? &records_[instruction.computation().id().index].last : nullptr;
  const auto call = [&](ComputationView callee, double times, bool in_sequence) {
    const Replayed& replayed = replayed_[callee.id().index];
    if (replayed.ends.empty() || times <= 0) return;
    run.inside += in_sequence ? replayed.seconds(times) : times * replayed.seconds(1);
    add(run.busy, replayed.busy, times / static_cast<double>(replayed.ends.size()));
    if (path != nullptr) path->calls.push_back({instruction.id(), {callee.id(), times}});
    run.left.insert(run.left.end(), replayed.left.begin(), replayed.left.end());
  };
  if (demand.step == Step::kLoop) {
    const TripCount* trips = CallFacts::trip_count(*calls_, instruction.id());
    const double n = trips != nullptr ? static_cast<double>(trips->value) : 1;
    for (ComputationView body : instruction.computations(AttributeKey::kBody)) call(body, n, true);
    for (ComputationView condition : instruction.computations(AttributeKey::kCondition)) call(condition, n + 1, false);
    run.own = n * demand.issue;
  } else {
    const std::vector<ComputationId> callees = instruction.called_computations();
    const std::vector<double> probabilities = demand.step == Step::kBranch ? branch_probabilities(instruction, callees)
                                                                           : std::vector<double>(callees.size(), 1);
    for (std::size_t i = 0; i < callees.size(); ++i) call(module_.computation(callees[i]), probabilities[i], false);
    run.own = demand.seconds;
  }
  run.inside = std::min(run.inside, kForever);
  return run;
}

// Runs callees. Transfers that they leave in flight continue in the caller. Returns the seconds of the instruction
// itself: overhead, and the slowdown caused by the caller's transfers in flight.
double Replayer::run_callees(const CalleeRun& run, Machine& machine) {
  const double took = machine.run(run.inside + run.own, run.busy);
  for (Flight flight : run.left) {
    flight.begin = machine.now();
    machine.adopt(flight);
  }
  return std::max(0.0, took - run.inside);
}

std::vector<double> Replayer::branch_probabilities(InstructionView conditional,
                                                   const std::vector<ComputationId>& branches) {
  if (const std::vector<double>* given = CallFacts::branch_probabilities(*calls_, conditional.id()); given != nullptr) {
    std::vector<double> probabilities = *given;
    probabilities.resize(branches.size(), 0);
    return probabilities;
  }
  std::vector<double> probabilities(branches.size(), 0);
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < branches.size(); ++i) {
    if (replayed_[branches[i].index].seconds(1) > replayed_[branches[slowest].index].seconds(1)) slowest = i;
  }
  if (!branches.empty()) probabilities[slowest] = 1;
  branches_[conditional.id().index] = probabilities;
  return probabilities;
}

// The step ends when no transfer is in flight. The wait for that is charged to the last start.
void Replayer::finish(Machine& machine, const std::vector<ComputationId>& order) {
  const double began = machine.now();
  drained_seconds_ = machine.drain();
  drained_waits_.clear();
  drained_ = InstructionId();
  for (ComputationId id : order) {
    if (replayed_[id.index].last_start.valid()) drained_ = replayed_[id.index].last_start;
  }
  if (drained_seconds_ <= 0 || !drained_.valid()) return;
  for (const WaitPart& part : machine.causes())
    drained_waits_.push_back({drained_, part.cause, part.cause, part.seconds});
  if (!record_) return;
  records_[module_.entry().id().index].last.steps.push_back(
      {drained_, began, machine.now(), drained_seconds_, drained_, flight_begin_[drained_.index]});
}

void Replayer::remember_entry() {
  entry_states_.clear();
  entry_callees_.clear();
  entry_callee_at_.clear();
  const std::vector<InstructionId>& steps = replayed_[module_.entry().id().index].steps;
  Machine machine(0, {});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % kStatesApart == 0) entry_states_.push_back({machine.now(), machine.in_flight()});
    const Demand& demand = (*demands_)[steps[i].index];
    if (demand.step == Step::kLoop || demand.step == Step::kBranch || demand.step == Step::kCall) {
      entry_callee_at_[steps[i].index] = entry_callees_.size();
      entry_callees_.push_back(find_callees(module_.instruction(steps[i]), demand));
    }
    advance(steps[i], machine);
  }
}

void Replayer::advance(InstructionId id, Machine& machine) {
  perform(
      id, machine, [](Took, InstructionId, double) {},
      [&]() -> const CalleeRun& { return entry_callees_[entry_callee_at_.at(id.index)]; });
}

double Replayer::entry_seconds_if(std::size_t first, absl::Span<const InstructionId> steps) {
  const Replayed& entry = replayed_[module_.entry().id().index];
  std::size_t at = first / kStatesApart * kStatesApart;
  const MachineState& begin = entry_states_[at / kStatesApart];
  Machine machine(begin.now, begin.flights);
  for (; at < entry.steps.size(); ++at) {
    const bool is_other = at >= first && at < first + steps.size();
    if (at >= first + steps.size() && at % kStatesApart == 0) {
      const MachineState& before = entry_states_[at / kStatesApart];
      if (same_state(before.flights, machine.in_flight())) return seconds() + (machine.now() - before.now);
    }
    advance(is_other ? steps[at - first] : entry.steps[at], machine);
  }
  machine.drain();
  return machine.now();
}

// Returns the recorded events of an iteration of a computation, or null if they are not recorded.
std::vector<ReplayRecord::Stretch>* Replayer::recorded_events(ComputationId computation, std::size_t iteration) {
  if (!record_) return nullptr;
  ReplayRecord& record = records_[computation.index];
  if (iteration == 0) return &record.first;
  return iteration <= record.later.size() ? &record.later[iteration - 1].events : nullptr;
}

// Records the transfers that began in the recorded iterations.
void Replayer::record_transfers(ComputationView computation, Machine& machine) {
  ReplayRecord& record = records_[computation.id().index];
  const auto add_later = [&](const FinishedFlight& flight) {
    for (ReplayRecord::Iteration& iteration : record.later) {
      if (flight.begin > iteration.end) continue;
      return iteration.events.push_back({flight.start, flight.lane, flight.begin, flight.end, {}});
    }
  };
  const auto is_own = [&](const FinishedFlight& flight) {
    return row_of(module_, flight.start).computation == computation.id();
  };
  for (const FinishedFlight& flight : machine.take_finished()) {
    if (!is_own(flight)) continue;
    if (flight.begin > record.first_end) {
      add_later(flight);
    } else {
      record.first.push_back({flight.start, flight.lane, flight.begin, flight.end, {}});
    }
  }
  if (record.later.empty()) return;
  // The transfers of a later iteration that are still in flight end as they do when nothing else runs.
  machine.drain();
  for (const FinishedFlight& flight : machine.take_finished()) {
    if (is_own(flight) && flight.begin > record.first_end) add_later(flight);
  }
}

// Returns how often a computation is entered. A loop body is entered once for all its iterations.
double Replayer::entries(const CallGraph& calls, const std::vector<double>& executions,
                         ComputationView computation) const {
  if (CallFacts::role(calls, computation.id()) != ComputationRole::kBody) return executions[computation.id().index];
  double sum = 0;
  for (InstructionId caller : CallFacts::callers(calls, computation.id())) {
    sum += executions[row_of(module_, caller).computation.index];
  }
  return sum;
}

void Replayer::forget_sums() {
  added_.clear();
  added_order_.clear();
  added_drained_ = InstructionId();
  added_drained_seconds_ = 0;
  added_drained_waits_.clear();
  for (Replayed& replayed : replayed_) replayed.is_added = false;
}

void Replayer::add_up(const CallGraph& calls, const PagedTable<Demand>& demands, ReplaySums& sums) {
  if (added_order_.empty()) {
    sums.exposed.clear();
    sums.waited.clear();
    sums.waits.clear();
  }
  added_.resize(module_.computation_limit());
  sums.exposed.resize(module_.instruction_limit(), 0);
  sums.waited.resize(module_.instruction_limit(), 0);
  // The instructions of which seconds and waits are added again, or no longer.
  std::vector<bool> is_other(module_.instruction_limit(), false);
  const auto take_back = [&](InstructionId id) {
    is_other[id.index] = true;
    sums.exposed[id.index] = sums.waited[id.index] = 0;
  };
  const auto is_executed = [&](ComputationId id) {
    return CallFacts::is_scheduled(calls, id) && sums.executions[id.index] > 0;
  };
  std::vector<ComputationId> executed;
  std::vector<ComputationId> others;
  for (ComputationId id : added_order_) {
    if (is_executed(id)) continue;
    for (InstructionId step : added_[id.index].steps) take_back(step);
    added_[id.index] = Added();
  }
  const bool drains_alike = drained_ == added_drained_ && drained_seconds_ == added_drained_seconds_ &&
                            drained_waits_ == added_drained_waits_;
  const auto drains_otherwise = [&](ComputationId id) {
    if (drains_alike) return false;
    return (drained_.valid() && row_of(module_, drained_).computation == id) ||
           (added_drained_.valid() && row_of(module_, added_drained_).computation == id);
  };
  for (ComputationId id : CallFacts::scheduled(calls)) {
    if (!is_executed(id)) continue;
    executed.push_back(id);
    Added& added = added_[id.index];
    const double executions = sums.executions[id.index];
    const double entered = entries(calls, sums.executions, module_.computation(id));
    const bool is_same = replayed_[id.index].is_added && added.executions == executions && added.entered == entered;
    if (is_same && !drains_otherwise(id)) continue;
    for (InstructionId step : added.steps) take_back(step);
    added.executions = executions;
    added.entered = entered;
    others.push_back(id);
  }
  if (!drains_alike && added_drained_.valid()) take_back(added_drained_);
  std::erase_if(sums.waits, [&](const Wait& wait) { return is_other[wait.op.index]; });
  std::vector<Wait> waits;
  if (!drains_alike || (drained_.valid() && is_other[drained_.index])) waits = drained_waits_;
  for (ComputationId id : others) {
    expose_steps(id, calls, demands, sums);
    add_waits(replayed_[id.index], added_[id.index].executions, added_[id.index].entered, waits);
  }
  merge_waits(std::move(waits), sums);
  added_drained_ = drained_;
  added_drained_seconds_ = drained_seconds_;
  added_drained_waits_ = drained_waits_;

  sums.serial_seconds = 0;
  sums.busy = {};
  for (ComputationId id : executed) {
    const Added& added = added_[id.index];
    for (double serial : added.serial) sums.serial_seconds += added.executions * serial;
    for (const auto& [unit, busy] : added.busy) {
      sums.busy[unit] = std::min(kForever, sums.busy[unit] + added.executions * busy);
    }
  }
  added_order_ = std::move(executed);
  sums.busy[static_cast<int>(Resource::kIci)] = std::min(kForever, links_busy(sums.busy));
  sums.seconds = seconds();
}

// Sets the exposed seconds of the steps of a computation, and lists what they add to the sums.
void Replayer::expose_steps(ComputationId id, const CallGraph& calls, const PagedTable<Demand>& demands,
                            ReplaySums& sums) {
  Replayed& replayed = replayed_[id.index];
  Added& added = added_[id.index];
  added.serial.clear();
  added.busy.clear();
  added.steps = replayed.steps;
  replayed.is_added = true;
  const auto add_busy = [&](const SharedSeconds& busy) {
    for_each_unit(used_units(busy), [&](int r) { added.busy.emplace_back(r, busy[r]); });
  };
  const auto iterations = static_cast<double>(replayed.ends.size());
  const double further = added.executions - added.entered * iterations;
  for (InstructionId step : replayed.steps) {
    const std::uint32_t i = step.index;
    const Demand& demand = demands[i];
    sums.exposed[i] = further >= 0 ? added.entered * first_[i] + further * last_[i]
                                   : added.executions * first_[i] / std::max(1.0, iterations);
    if (step == drained_ && drained_seconds_ > 0) sums.exposed[i] += drained_seconds_;
    double serial = demand.seconds + demand.issue;
    if (demand.step == Step::kLoop) {
      const TripCount* trips = CallFacts::trip_count(calls, step);
      serial = demand.issue * (trips != nullptr ? static_cast<double>(trips->value) : 1);
    }
    if (serial != 0) added.serial.push_back(serial);
    add_busy(demand.busy);
    if (demand.between_seconds > 0) {
      added.serial.push_back(demand.between_seconds);
      add_busy(between_slices(demand).busy);
    }
  }
}

// Adds the waits of a computation, with the same weights as its exposed seconds.
void Replayer::add_waits(const Replayed& replayed, double executions, double entered, std::vector<Wait>& waits) {
  const auto iterations = static_cast<double>(replayed.ends.size());
  const double further = executions - entered * iterations;
  const double of_all = further >= 0 ? entered : executions / std::max(1.0, iterations);
  for (std::size_t i = 0; i < replayed.waits.size(); ++i) {
    Wait wait = replayed.waits[i];
    const bool is_last = i >= replayed.last_waits;
    wait.seconds *= of_all + (is_last && further > 0 ? further : 0);
    waits.push_back(wait);
  }
}

double Replayer::seconds() const { return module_.has_entry() ? replayed_[module_.entry().id().index].seconds(1) : 0; }

}  // namespace hloroof::internal::inline schedule
