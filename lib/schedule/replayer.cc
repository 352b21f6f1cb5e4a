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

// Steps between two marks. With more of them, a replay begins farther before the first difference; with fewer, more
// states are copied.
constexpr std::size_t kMarksApart = 16;

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

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key(const Wait& wait) {
  return {wait.op.index, wait.awaited.index, wait.cause.index};
}

bool is_before(const Wait& a, const Wait& b) { return key(a) < key(b); }

// Sorts waits, and adds up those of the same op for the same transfer with the same cause.
void merge_waits(std::vector<Wait>& waits) {
  std::stable_sort(waits.begin(), waits.end(), is_before);
  std::size_t merged = 0;
  for (const Wait& wait : waits) {
    if (merged > 0 && key(waits[merged - 1]) == key(wait)) {
      waits[merged - 1].seconds += wait.seconds;
    } else {
      waits[merged++] = wait;
    }
  }
  waits.resize(merged);
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

bool Replayer::Replayed::is_like(const Replayed& other) const {
  return has_run && other.has_run && ends == other.ends && steady == other.steady && busy == other.busy &&
         are_same(left, other.left);
}

void Replayer::resize() {
  replayed_.resize(module_.computation_limit());
  trips_.assign(module_.computation_limit(), 1);
  if (!record_) return;
  records_.resize(module_.computation_limit());
  begin_.resize(module_.instruction_limit(), 0);
  flight_begin_.resize(module_.instruction_limit(), 0);
}

void Replayer::replay(const CallGraph& calls, const AsyncPairs& pairs, const PagedTable<Demand>& demands,
                      const ListSchedule& schedule, const ReplayChanges& changes) {
  resize();
  calls_ = &calls;
  pairs_ = &pairs;
  demands_ = &demands;
  schedule_ = &schedule;
  entry_callees_.clear();
  if (!schedule.empty()) step_at_.resize(module_.instruction_limit());
  for (const CallGraph::Loop& loop : calls.loops()) {
    for (ComputationView body : module_.instruction(loop.instruction).computations(AttributeKey::kBody)) {
      trips_[body.id().index] = std::max(trips_[body.id().index], loop.trips.value);
    }
  }
  std::vector<bool> is_other(module_.instruction_limit(), false);  // by InstructionId: the step does something else
  std::vector<bool> has_others(module_.computation_limit(), false);
  const auto note_step = [&](InstructionId id) {
    is_other[id.index] = true;
    has_others[row_of(module_, id).computation.index] = true;
  };
  for (InstructionId id : changes.steps) note_step(id);
  // Callees come before their callers, so that every callee has been replayed before it is needed.
  const std::vector<ComputationId> order(CallFacts::scheduled(calls).rbegin(), CallFacts::scheduled(calls).rend());
  order_ = &order;
  for (ComputationId id : order) {
    Replayed& result = replayed_[id.index];
    if (changes.is_whole(id)) result.has_run = false;
    const bool has_other_order = changes.has_other_order(id);
    if (result.has_run && !has_other_order && !has_others[id.index]) continue;
    const Replayed before = replay_computation(module_.computation(id), has_other_order, is_other);
    if (result.is_like(before)) continue;
    for (InstructionId caller : CallFacts::callers(calls, id)) note_step(caller);
  }
}

std::vector<InstructionId> Replayer::list_steps(ComputationView computation) const {
  std::vector<InstructionId> steps;
  const auto add = [&](InstructionId id) {
    if ((*demands_)[id.index].step != Step::kFree) steps.push_back(id);
  };
  if (schedule_->empty()) {
    for (InstructionView instruction : computation.instructions()) add(instruction.id());
  } else {
    for (InstructionId id : schedule_->order[computation.id().index]) add(id);
  }
  return steps;
}

Replayer::Unchanged Replayer::compare(const Replayed& before, const std::vector<InstructionId>& steps,
                                      const std::vector<bool>& is_other) const {
  const std::size_t most = std::min(before.steps.size(), steps.size());
  const auto is_same = [&](InstructionId then, InstructionId now) { return then == now && !is_other[now.index]; };
  Unchanged unchanged;
  while (unchanged.first < most && is_same(before.steps[unchanged.first], steps[unchanged.first])) ++unchanged.first;
  while (unchanged.last < most - unchanged.first &&
         is_same(before.steps[before.steps.size() - 1 - unchanged.last], steps[steps.size() - 1 - unchanged.last])) {
    ++unchanged.last;
  }
  return unchanged;
}

// Returns the result of the last replay, of whose passes parts are taken.
Replayer::Replayed Replayer::replay_computation(ComputationView computation, bool has_other_order,
                                                const std::vector<bool>& is_other) {
  const std::uint32_t c = computation.id().index;
  Replayed& result = replayed_[c];
  Replayed before = std::exchange(result, {});
  result.has_run = true;
  // Records are of whole passes, and the schedule of a module without one says at which steps it waits.
  const bool keeps = before.has_run && !record_ && schedule_->empty();
  Unchanged unchanged;
  if (keeps && !has_other_order) {
    result.steps = before.steps;
  } else {
    result.steps = list_steps(computation);
  }
  if (keeps) unchanged = compare(before, result.steps, is_other);
  if (!schedule_->empty()) {
    for (std::size_t i = 0; i < result.steps.size(); ++i) step_at_[result.steps[i].index] = i;
  }
  if (record_) records_[c] = ReplayRecord();
  if (!computation.is_entry()) add_busy(result);
  Machine machine;
  const std::int64_t iterations = std::min(kMaxReplayedIterations, trips_[c]);
  double last = 0;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const auto iteration = static_cast<std::size_t>(i);
    Pass* pass_before = keeps && iteration < before.passes.size() ? &before.passes[iteration] : nullptr;
    replay_pass(computation, iteration, pass_before, unchanged, machine, result);
    if (computation.is_entry()) finish(machine, *order_);
    machine.begin_step();
    result.ends.push_back(machine.now());
    result.steady = machine.now() - last;
    if (record_) {
      ReplayRecord& record = records_[c];
      if (i == 0) {
        record.first_end = machine.now();
      } else if (iteration < kRecordedIterations) {
        record.later.back().end = machine.now();
      }
    }
    last = machine.now();
    if (same_state(result.passes.back().entered, machine.in_flight())) break;
  }
  result.left = machine.in_flight();
  if (record_) record_transfers(computation, machine);
  return before;
}

// Adds what the steps keep busy, in one iteration.
void Replayer::add_busy(Replayed& result) {
  for (InstructionId id : result.steps) {
    const Demand& demand = (*demands_)[id.index];
    switch (demand.step) {
      case Step::kRun:
      case Step::kStart: add(result.busy, demand.busy, 1); break;
      case Step::kLoop:
      case Step::kBranch:
      case Step::kCall: add(result.busy, find_callees(module_.instruction(id), demand).busy, 1); break;
      default: break;
    }
    if (demand.between_seconds > 0) add(result.busy, between_slices(demand).busy, 1);
  }
}

// Replays one iteration. `before` is that of the last replay, or null. The machine begins a step when it ends.
void Replayer::replay_pass(ComputationView computation, std::size_t iteration, Pass* before, Unchanged unchanged,
                           Machine& machine, Replayed& result) {
  Pass& pass = result.passes.emplace_back();
  pass.entered = machine.in_flight();
  if (record_) {
    PathRecord& path = records_[computation.id().index].last;
    path = PathRecord();
    path.begin = machine.now();
    if (iteration > 0 && iteration < kRecordedIterations) {
      records_[computation.id().index].later.push_back({machine.now(), machine.now(), {}});
    }
  }
  if (schedule_->empty()) {
    replay_steps(iteration, before, unchanged, machine, result);
  } else {
    pass.exposed.assign(result.steps.size(), 0);
    for (InstructionId id : result.steps) {
      for (InstructionId transfer : schedule_->waits[id.index]) wait_for_transfer(transfer, machine, pass, iteration);
      machine.begin_step();
      pass.exposed[step_at_[id.index]] += replay_step(id, machine, pass, iteration);
    }
    // The results of split collectives must be available when the computation ends.
    for (InstructionId id : result.steps) {
      const bool is_split = work_class(row_of(module_, id).opcode) == WorkClass::kCollective;
      if ((*demands_)[id.index].step == Step::kStart && is_split) wait_for_transfer(id, machine, pass, iteration);
    }
    machine.begin_step();
  }
  if (pass.last_start.valid()) result.last_start = pass.last_start;
}

// Replays the steps of a computation that has a schedule. The unchanged ones before and behind the others are taken
// from the last replay as far as the same transfers are in flight.
void Replayer::replay_steps(std::size_t iteration, Pass* before, Unchanged unchanged, Machine& machine,
                            Replayed& result) {
  const std::vector<InstructionId>& steps = result.steps;
  Pass& pass = result.passes.back();
  const Clock began = machine.clock();
  if (before != nullptr && before->took.is_saturated()) before = nullptr;
  std::size_t meets_at = 0;  // the next mark of the last replay at which its end may be that of this one
  if (before != nullptr) {
    meets_at = before->first_mark_behind(before->exposed.size() - unchanged.last);
    const std::size_t behind = before->first_mark_behind(unchanged.first);
    if (behind > 0 && are_same(pass.entered, before->entered)) {
      pass.begin_as(*before, behind - 1);
      const Mark& mark = pass.marks.back();
      machine = Machine(began + mark.clock, mark.flights);
    }
  }
  // The mark of the last replay from which as many steps are left; null if there is none.
  const auto mark_with = [&](std::size_t left) -> const Mark* {
    if (before == nullptr) return nullptr;
    const std::vector<Mark>& marks = before->marks;
    const auto left_at = [&](const Mark& mark) { return before->exposed.size() - mark.step; };
    while (meets_at < marks.size() && left_at(marks[meets_at]) > left) ++meets_at;
    return meets_at < marks.size() && left_at(marks[meets_at]) == left ? &marks[meets_at] : nullptr;
  };
  std::size_t next_mark = pass.marks.empty() ? 0 : pass.marks.back().step + kMarksApart;
  while (pass.exposed.size() < steps.size()) {
    const std::size_t at = pass.exposed.size();
    machine.begin_step();
    const std::vector<Flight>* flights = record_ ? nullptr : machine.few_in_flight();
    const Mark* there = mark_with(steps.size() - at);
    if (there != nullptr && flights != nullptr && are_same(*flights, there->flights)) {
      pass.end_as(*before, meets_at, machine.clock() - began);
      machine = Machine(began + pass.took, pass.left);
      return;
    }
    if (flights != nullptr && at >= next_mark) {
      pass.marks.push_back({at, machine.clock() - began, *flights, pass.waits.size(), pass.last_start});
      next_mark = at + kMarksApart;
    }
    pass.exposed.push_back(0);
    pass.exposed.back() = replay_step(steps[at], machine, pass, iteration);
  }
  machine.begin_step();
  pass.left = machine.in_flight();
  pass.took = machine.clock() - began;
}

// Records that the machine has just waited at `op`.
void Replayer::note_wait(InstructionId op, InstructionId awaited, double waited, const Machine& machine, Pass& pass) {
  if (waited <= 0) return;
  for (const WaitPart& part : machine.causes()) pass.waits.push_back({op, awaited, part.cause, part.seconds});
}

// Waits for a transfer that has no done.
void Replayer::wait_for_transfer(InstructionId transfer, Machine& machine, Pass& pass, std::size_t iteration) {
  machine.begin_step();
  const double begin = machine.now();
  const double waited = machine.wait(transfer);
  if (waited <= 0) return;
  pass.exposed[step_at_[transfer.index]] += waited;
  note_wait(transfer, transfer, waited, machine, pass);
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

// Returns the exposed seconds.
double Replayer::replay_step(InstructionId id, Machine& machine, Pass& pass, std::size_t iteration) {
  const Demand& demand = (*demands_)[id.index];
  const double begin = machine.now();
  ++steps_replayed_;
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
    note_wait(id, transfer, seconds, machine, pass);
    exposed += seconds;
    if (events != nullptr && seconds > 0) {
      waits.push_back({id, Lane::kCompute, machine.now() - seconds, machine.now(), transfer});
    }
    if (took != Took::kBegin) return;
    if (record_) flight_begin_[transfer.index] = machine.now();
    pass.last_start = transfer;
  };
  CalleeRun run;
  perform(id, machine, seen, [&]() -> const CalleeRun& {
    run = find_callees(module_.instruction(id), demand);
    return run;
  });
  if (!record_) return exposed;
  ReplayRecord& record = records_[row_of(module_, id).computation.index];
  if (machine.now() > begin) {
    record.last.steps.push_back(
        {id, begin, machine.now(), exposed, waited_for, waited_for.valid() ? flight_begin_[waited_for.index] : 0});
  }
  if (events == nullptr) return exposed;
  if (iteration == 0) begin_[id.index] = begin;
  const double worked = waits.empty() ? machine.now() : waits.front().begin;
  if (worked > begin) events->push_back({id, Lane::kCompute, begin, worked, {}});
  events->insert(events->end(), waits.begin(), waits.end());
  return exposed;
}

// Finds what the callees of an instruction do in one interval of average load.
Replayer::CalleeRun Replayer::find_callees(InstructionView instruction, const Demand& demand) {
  CalleeRun run;
  PathRecord* path = record_ ? &records_[instruction.computation().id().index].last : nullptr;
  const auto call = [&](ComputationView callee, double times, bool in_sequence) {
    const Replayed& replayed = replayed_[callee.id().index];
    if (replayed.ends.empty() || times <= 0) return;
    run.inside += in_sequence ? replayed.seconds(times) : times * replayed.seconds(1);
    add(run.busy, replayed.busy, times);
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

void Replayer::advance(InstructionId id, Machine& machine) {
  machine.begin_step();
  perform(
      id, machine, [](Took, InstructionId, double) {},
      [&]() -> const CalleeRun& {
        const auto [run, is_new] = entry_callees_.try_emplace(id.index);
        if (is_new) run->second = find_callees(module_.instruction(id), (*demands_)[id.index]);
        return run->second;
      });
}

double Replayer::entry_seconds_if(std::size_t first, absl::Span<const InstructionId> steps) {
  const Replayed& entry = replayed_[module_.entry().id().index];
  const Pass& pass = entry.passes.at(0);
  std::size_t mark = pass.first_mark_behind(first);
  Machine machine;
  std::size_t at = 0;
  if (mark > 0) {
    machine = Machine(pass.marks[mark - 1].clock, pass.marks[mark - 1].flights);
    at = pass.marks[mark - 1].step;
  }
  machine.ignore_causes();
  const std::size_t last = first + steps.size();
  for (mark = pass.first_mark_behind(last); at < entry.steps.size(); ++at) {
    if (mark < pass.marks.size() && pass.marks[mark].step == at) {
      machine.begin_step();
      const Mark& there = pass.marks[mark++];
      if (same_state(there.flights, machine.in_flight())) {
        return seconds() + (machine.clock().seconds() - there.clock.seconds());
      }
    }
    advance(at >= first && at < last ? steps[at - first] : entry.steps[at], machine);
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
  has_added_ = false;
  added_.clear();
  added_drained_ = InstructionId();
  added_drained_seconds_ = 0;
  added_drained_waits_.clear();
  for (Replayed& replayed : replayed_) replayed.is_added = false;
}

std::vector<ComputationId> Replayer::add_up(const CallGraph& calls, const PagedTable<Demand>& demands,
                                            ReplaySums& sums) {
  if (!has_added_) {
    sums.exposed.clear();
    sums.waited.clear();
    sums.executed.clear();
    sums.of = {};
  }
  has_added_ = true;
  added_.resize(module_.computation_limit());
  sums.of.resize(module_.computation_limit());
  sums.exposed.resize(module_.instruction_limit(), 0);
  sums.waited.resize(module_.instruction_limit(), 0);
  const auto is_executed = [&](ComputationId id) {
    return CallFacts::is_scheduled(calls, id) && sums.executions[id.index] > 0;
  };
  const auto take_back = [&](ComputationId id) {
    for (InstructionId step : added_[id.index].steps) sums.exposed[step.index] = sums.waited[step.index] = 0;
  };
  for (ComputationId id : sums.executed) {
    if (is_executed(id)) continue;
    take_back(id);
    added_[id.index] = Added();
    sums.of.clear(id.index);
    replayed_[id.index].is_added = false;
  }
  const bool drains_alike = drained_ == added_drained_ && drained_seconds_ == added_drained_seconds_ &&
                            drained_waits_ == added_drained_waits_;
  const auto drains_otherwise = [&](ComputationId id) {
    if (drains_alike) return false;
    return (drained_.valid() && row_of(module_, drained_).computation == id) ||
           (added_drained_.valid() && row_of(module_, added_drained_).computation == id);
  };
  std::vector<ComputationId> others;
  sums.executed.clear();
  for (ComputationId id : CallFacts::scheduled(calls)) {
    if (!is_executed(id)) continue;
    sums.executed.push_back(id);
    Added& added = added_[id.index];
    const double executions = sums.executions[id.index];
    const double entered = entries(calls, sums.executions, module_.computation(id));
    const bool is_same = replayed_[id.index].is_added && added.executions == executions && added.entered == entered;
    if (is_same && !drains_otherwise(id)) continue;
    take_back(id);
    added.executions = executions;
    added.entered = entered;
    others.push_back(id);
  }
  for (ComputationId id : others) expose_steps(id, calls, demands, sums);
  added_drained_ = drained_;
  added_drained_seconds_ = drained_seconds_;
  added_drained_waits_ = drained_waits_;

  sums.serial_seconds = 0;
  sums.busy = {};
  for (ComputationId id : sums.executed) {
    const PartialSums& part = sums.of[id.index];
    sums.serial_seconds += part.serial_seconds;
    add(sums.busy, part.busy, 1);
  }
  sums.busy[static_cast<int>(Resource::kIci)] = std::min(kForever, links_busy(sums.busy));
  sums.seconds = seconds();
  return others;
}

// Sets the exposed seconds and the waits of the steps of a computation, and what they add to the sums.
void Replayer::expose_steps(ComputationId id, const CallGraph& calls, const PagedTable<Demand>& demands,
                            ReplaySums& sums) {
  Replayed& replayed = replayed_[id.index];
  Added& added = added_[id.index];
  added.steps = replayed.steps;
  replayed.is_added = true;
  PartialSums part;
  const auto iterations = static_cast<double>(replayed.ends.size());
  const double further = added.executions - added.entered * iterations;
  for (std::size_t at = 0; at < replayed.steps.size(); ++at) {
    const InstructionId step = replayed.steps[at];
    const std::uint32_t i = step.index;
    const Demand& demand = demands[i];
    double all = 0;
    for (const Pass& pass : replayed.passes) all += pass.exposed[at];
    sums.exposed[i] = further >= 0 ? added.entered * all + further * replayed.passes.back().exposed[at]
                                   : added.executions * all / std::max(1.0, iterations);
    if (step == drained_ && drained_seconds_ > 0) sums.exposed[i] += drained_seconds_;
    double serial = demand.seconds + demand.issue;
    if (demand.step == Step::kLoop) {
      const TripCount* trips = CallFacts::trip_count(calls, step);
      serial = demand.issue * (trips != nullptr ? static_cast<double>(trips->value) : 1);
    }
    part.serial_seconds += added.executions * serial;
    add(part.busy, demand.busy, added.executions);
    if (demand.between_seconds > 0) {
      part.serial_seconds += added.executions * demand.between_seconds;
      add(part.busy, between_slices(demand).busy, added.executions);
    }
  }
  part.waits = waits_of(id);
  for (const Wait& wait : part.waits) sums.waited[wait.op.index] += wait.seconds;
  sums.of.at(id.index) = std::move(part);
}

// Returns the waits of a computation, with the same weights as its exposed seconds.
std::vector<Wait> Replayer::waits_of(ComputationId id) const {
  const Replayed& replayed = replayed_[id.index];
  const Added& added = added_[id.index];
  std::vector<Wait> waits;
  if (drained_.valid() && row_of(module_, drained_).computation == id) waits = drained_waits_;
  const auto iterations = static_cast<double>(replayed.ends.size());
  const double further = added.executions - added.entered * iterations;
  const double of_all = further >= 0 ? added.entered : added.executions / std::max(1.0, iterations);
  for (const Pass& pass : replayed.passes) {
    const bool is_last = &pass == &replayed.passes.back();
    for (Wait wait : pass.waits) {
      wait.seconds *= of_all + (is_last && further > 0 ? further : 0);
      waits.push_back(wait);
    }
  }
  merge_waits(waits);
  return waits;
}

std::vector<Wait> all_waits(const ReplaySums& sums) {
  std::vector<Wait> waits;
  for (ComputationId id : sums.executed) {
    const std::vector<Wait>& more = sums.of[id.index].waits;
    waits.insert(waits.end(), more.begin(), more.end());
  }
  std::sort(waits.begin(), waits.end(), is_before);
  return waits;
}

double Replayer::seconds() const { return module_.has_entry() ? replayed_[module_.entry().id().index].seconds(1) : 0; }

}  // namespace hloroof::internal::inline schedule
