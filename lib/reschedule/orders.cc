#include "lib/reschedule/orders.h"

#include <algorithm>

#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/schedule/memory.h"
#include "lib/step/order_rules.h"

namespace hloroof::internal::inline reschedule {
namespace {

// The predictor lists the moves that it has not followed. After so many trials it follows them, so that the list stays
// short.
constexpr std::int64_t kTrialsBetweenReads = 4096;

void set_peaks(const MemoryPrediction& memory, OrderState& state) {
  state.cost.peak_bytes = memory.hbm_peak_bytes;
  state.vmem_peak = memory.vmem_peak_bytes;
  state.host_peak = memory.host_peak_bytes;
}

OrderState state_of(const StepPrediction& step) {
  OrderState state;
  state.cost = cost_of(step);
  set_peaks(step.memory, state);
  return state;
}

}  // namespace

OrderCost cost_of(const StepPrediction& step) {
  OrderCost cost;
  cost.step_seconds = step.step_seconds;
  cost.peak_bytes = step.memory.hbm_peak_bytes;
  for (const OpPrediction& op : step.ops) cost.wait_seconds += op.wait_seconds;
  return cost;
}

Orders::Orders(Predictor predictor, const RescheduleOptions& options)
    : predictor_(std::move(predictor)),
      options_(options),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(std::clamp(options.seconds, 0.0, 1e6)))) {}

absl::StatusOr<std::unique_ptr<Orders>> Orders::create(const Module& module, const Target& target,
                                                       const RescheduleOptions& options) {
  absl::StatusOr<Predictor> predictor = Predictor::create(module, target, options.predict);
  if (!predictor.ok()) return predictor.status();
  std::unique_ptr<Orders> orders(new Orders(*std::move(predictor), options));
  if (absl::Status status = orders->begin(); !status.ok()) return status;
  return orders;
}

absl::Status Orders::begin() {
  absl::StatusOr<StepPrediction> step = predictor_.predict();
  if (!step.ok()) return step.status();
  first_ = *std::move(step);
  facts_ = first_->facts;
  absl::StatusOr<OrderRules> rules = find_order_rules(*facts_);
  if (!rules.ok()) return rules.status();
  now_ = state_of(*first_);
  if (options_.memory_limit && *options_.memory_limit < now_.cost.peak_bytes) {
    return invalid_argument("the module needs " + format_bytes(now_.cost.peak_bytes) +
                            " as it is, which is more than the memory limit of " +
                            format_bytes(*options_.memory_limit) + "; raise the limit");
  }
  limits_ = now_;
  if (options_.memory_limit) limits_.cost.peak_bytes = *options_.memory_limit;
  std::vector<bool> matters(module().instruction_limit(), false);
  for (std::size_t i = 0; i < matters.size(); ++i) matters[i] = facts_->costs.demand[i].step != Step::kFree;
  moves_ = Moves(*std::move(rules), compute_seconds(), std::move(matters));
  orders_.resize(module().computation_limit());
  places_.resize(module().instruction_limit());
  find_transfers();

  // Without transfers, nothing waits and nothing slows the compute stream down.
  PagedTable<Demand> alone = facts_->costs.demand;
  alone.for_each_written([](Demand& demand) {
    demand.between_seconds = 0;
    if (demand.step == Step::kStart) demand.seconds = demand.held = 0;
  });
  transfers_free_seconds_ = replayed_seconds(module(), facts_->calls, facts_->pairs, alone, facts_->schedule);
  replayer_.emplace(module(), /*record=*/false);
  stale_.assign(module().computation_limit(), true);
  (void)exact_seconds();
  return absl::OkStatus();
}

void Orders::find_transfers() {
  transfers_.calls = facts_->calls;
  transfers_.pairs = facts_->pairs;
  transfers_.step.reserve(facts_->costs.demand.size());
  transfers_.lane.reserve(facts_->costs.demand.size());
  for (std::size_t i = 0; i < facts_->costs.demand.size(); ++i) {
    const Demand& demand = facts_->costs.demand[i];
    transfers_.step.push_back(demand.step);
    transfers_.lane.push_back(demand.lane);
  }
  most_in_flight_ = most_in_flight(module(), transfers_);
  for (std::int64_t& most : most_in_flight_) {
    most = std::max<std::int64_t>(most, facts_->target.device.schedule.transfers_ahead);
  }
}

// The time of the compute stream in one execution of each op, without waits: its own, or that of the computations that
// it calls.
std::vector<double> Orders::compute_seconds() const {
  std::vector<double> seconds(module().instruction_limit(), 0);
  std::vector<double> total(module().computation_limit(), 0);  // in the whole step
  std::vector<double> executions(module().computation_limit(), 0);
  for (const OpPrediction& op : first_->ops) {
    const ComputationId at = computation_of(op.id);
    total[at.index] += op.exposed_seconds - op.wait_seconds;
    executions[at.index] = op.executions;
    if (op.executions > 0) seconds[op.id.index] = (op.exposed_seconds - op.wait_seconds) / op.executions;
  }
  for (ComputationView computation : module().computations()) {  // callees first
    for (InstructionView instruction : computation.instructions()) {
      if (!calls_schedules(instruction.opcode())) continue;
      for (ComputationId called : instruction.called_computations()) {
        if (!called.valid()) continue;
        total[computation.id().index] += total[called.index];
        const double times = executions[computation.id().index];
        if (times > 0) seconds[instruction.id().index] += total[called.index] / times;
      }
    }
  }
  return seconds;
}

ComputationId Orders::computation_of(InstructionId id) const { return row_of(module(), id).computation; }

const std::vector<InstructionId>& Orders::order_of(ComputationId computation) {
  std::vector<InstructionId>& order = orders_[computation.index];
  if (!order.empty()) return order;
  order.reserve(module().computation(computation).instruction_count());
  for (InstructionView instruction : module().computation(computation).instructions()) {
    places_[instruction.id().index] = order.size();
    order.push_back(instruction.id());
  }
  return order;
}

std::size_t Orders::place_of(InstructionId id) {
  order_of(computation_of(id));
  return places_[id.index];
}

void Orders::put(const Changed& place, const std::vector<InstructionId>& ids) {
  std::vector<InstructionId>& order = orders_[place.computation.index];
  for (std::size_t i = 0; i < ids.size(); ++i) {
    order[place.begin + i] = ids[i];
    places_[ids[i].index] = place.begin + i;
  }
}

void Orders::apply(const Move& move) {
  Changed changed;
  changed.computation = computation_of(move.before);
  const std::vector<InstructionId>& order = order_of(changed.computation);
  const bool is_up = move.direction == Direction::kEarlier;
  // Those that move are in the order of the text if they move up, and in the reverse order otherwise.
  const std::size_t begin = is_up ? places_[move.before.index] : places_[move.moved.back().index];
  const std::size_t end = is_up ? places_[move.moved.back().index] + 1 : places_[move.before.index];
  changed.begin = begin;
  changed.before.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                        order.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<InstructionId> moved = move.moved;
  if (!is_up) std::reverse(moved.begin(), moved.end());
  std::vector<InstructionId> others;
  others.reserve(changed.before.size());
  std::size_t next = 0;
  for (InstructionId id : changed.before) {
    if (next < moved.size() && moved[next] == id) {
      ++next;
    } else {
      others.push_back(id);
    }
  }
  std::vector<InstructionId>& first = is_up ? moved : others;
  const std::vector<InstructionId>& last = is_up ? others : moved;
  first.insert(first.end(), last.begin(), last.end());
  put(changed, first);
  changed_.push_back(std::move(changed));
  applied_.push_back(move);
}

// Brings the module into the order of orders_.
absl::Status Orders::edit_applied() {
  for (; edited_ < applied_.size(); ++edited_) {
    const Move& move = applied_[edited_];
    stale_[changed_[edited_].computation.index] = true;
    are_steps_counted_ = false;
    InstructionId before = move.before;
    for (InstructionId id : move.moved) {
      const InstructionId next = row_of(module(), id).next;
      if (absl::Status status = predictor_.edit().move_before(id, before); !status.ok()) return status;
      undo_.push_back({id, next});
      if (move.direction == Direction::kLater) before = id;
    }
  }
  return absl::OkStatus();
}

double Orders::exact_seconds() {
  if (std::any_of(stale_.begin(), stale_.end(), [](bool is_stale) { return is_stale; })) {
    ReplayChanges changes;
    changes.order = stale_;
    replayer_->replay(facts_->calls, facts_->pairs, facts_->costs.demand, facts_->schedule, changes);
    std::fill(stale_.begin(), stale_.end(), false);
    are_steps_counted_ = false;
  }
  return replayer_->seconds();
}

// The seconds of the step after the moves in the entry that were applied, but for rounding. The module is still in the
// order before.
double Orders::seconds_after_applied() {
  const ComputationId entry = module().entry().id();
  std::size_t begin = changed_[0].begin;
  std::size_t end = begin;
  for (const Changed& changed : changed_) {
    begin = std::min(begin, changed.begin);
    end = std::max(end, changed.begin + changed.before.size());
  }
  if (!are_steps_counted_) {
    (void)exact_seconds();
    are_steps_counted_ = true;
    steps_before_.clear();
    std::size_t steps = 0;
    for (InstructionView instruction : module().entry().instructions()) {
      steps_before_.push_back(steps);
      if (moves_.matters(instruction.id())) ++steps;
    }
  }
  std::vector<InstructionId> steps;
  for (std::size_t i = begin; i < end; ++i) {
    const InstructionId id = orders_[entry.index][i];
    if (moves_.matters(id)) steps.push_back(id);
  }
  return replayer_->entry_seconds_if(steps_before_[begin], steps);
}

absl::StatusOr<bool> Orders::is_at_most(double seconds, OrderState& then) {
  ++trials_;
  const ComputationId entry = module().entry().id();
  const bool is_in_entry = std::all_of(changed_.begin(), changed_.end(),
                                       [&](const Changed& changed) { return changed.computation == entry; });
  if (is_in_entry && seconds_after_applied() > seconds * (1 + 1e-9)) return false;
  if (absl::Status status = edit_applied(); !status.ok()) return status;
  const double exact = exact_seconds();
  return exact <= seconds && keeps_limits(exact, then);
}

bool Orders::keeps_limits(double step_seconds, OrderState& then) {
  const InFlight in_flight = most_in_flight(module(), transfers_);
  for (std::size_t lane = 0; lane < in_flight.size(); ++lane) {
    if (in_flight[lane] <= most_in_flight_[lane]) continue;
    refused_in_flight_.add(step_seconds);
    return false;
  }
  const MemoryPrediction needed = memory();
  if (needed.hbm_peak_bytes > limits_.cost.peak_bytes || needed.vmem_peak_bytes > limits_.vmem_peak ||
      needed.host_peak_bytes > limits_.host_peak) {
    refused_memory_.add(step_seconds);
    return false;
  }
  then.cost.step_seconds = step_seconds;
  set_peaks(needed, then);
  return true;
}

absl::Status Orders::keep(std::vector<KeptStep> steps, const OrderState& then) {
  if (absl::Status status = edit_applied(); !status.ok()) return status;
  for (KeptStep& step : steps) {
    step.undo_begin = undo_kept_;
    undo_kept_ += step.move.moved.size();
    kept_.push_back(std::move(step));
  }
  applied_.clear();
  changed_.clear();
  edited_ = 0;
  now_ = then;
  return absl::OkStatus();
}

absl::StatusOr<bool> Orders::try_move(const Move& move, double at_most, OrderState& then) {
  apply(move);
  absl::StatusOr<bool> fits = is_at_most(at_most, then);
  if (!fits.ok()) return fits;
  if (absl::Status status = take_back(); !status.ok()) return status;
  return fits;
}

absl::Status Orders::keep(const Move& move, InstructionId id, const std::optional<Reason>& reason,
                          const OrderState& then) {
  KeptStep step;
  step.move = move;
  step.id = id;
  step.from_before = row_of(module(), id).next;
  step.reason = reason;
  step.gain_seconds = now_.cost.step_seconds - then.cost.step_seconds;
  step.gain_bytes = now_.cost.peak_bytes - then.cost.peak_bytes;
  apply(move);
  return keep({std::move(step)}, then);
}

// Takes back edits of the module.
absl::Status Orders::undo_to(std::size_t size) {
  for (; undo_.size() > size; undo_.pop_back()) {
    const auto [id, next] = undo_.back();
    stale_[computation_of(id).index] = true;
    are_steps_counted_ = false;
    if (absl::Status status = predictor_.edit().move_before(id, next); !status.ok()) return status;
  }
  if (trials_ - trials_flushed_ < kTrialsBetweenReads) return absl::OkStatus();
  trials_flushed_ = trials_;
  return predictor_.summary().status();
}

absl::Status Orders::take_back() {
  for (; !changed_.empty(); changed_.pop_back()) put(changed_.back(), changed_.back().before);
  applied_.clear();
  edited_ = 0;
  return undo_to(undo_kept_);
}

absl::Status Orders::go_back(std::size_t kept, const OrderState& state) {
  if (kept < kept_.size()) {
    undo_kept_ = kept_[kept].undo_begin;
    kept_.resize(kept);
  }
  now_ = state;
  for (std::vector<InstructionId>& order : orders_) order.clear();
  return undo_to(undo_kept_);
}

std::vector<Reason> Orders::waits() {
  (void)exact_seconds();
  sums_.executions = CallFacts::executions_with(facts_->calls, replayer_->branches());
  (void)replayer_->add_up(facts_->calls, facts_->costs.demand, sums_);
  std::vector<Reason> waits;
  for (const Wait& wait : all_waits(sums_)) {  // sorted by op, then by awaited
    if (!waits.empty() && waits.back().waiting == wait.op && waits.back().transfer == wait.awaited) {
      waits.back().seconds += wait.seconds;
    } else {
      waits.push_back({wait.op, wait.awaited, wait.seconds});
    }
  }
  return waits;
}

double Orders::in_one_execution(const Reason& reason) const {
  return reason.seconds / std::max(1.0, first_->facts->executions(computation_of(reason.waiting)));
}

absl::StatusOr<StepPrediction> Orders::predict() {
  absl::StatusOr<StepPrediction> step = predictor_.predict();
  if (step.ok()) now_ = state_of(*step);
  return step;
}

MemoryPrediction Orders::memory() const {
  return analyze_memory(module(), facts_->calls, facts_->target.device, facts_->schedule).prediction;
}

absl::Status Orders::apply_to(Module& module) const {
  ModuleEditor edit(module);
  for (const KeptStep& step : kept_) {
    InstructionId before = step.move.before;
    for (InstructionId id : step.move.moved) {
      if (absl::Status status = edit.move_before(id, before); !status.ok()) return status;
      if (step.move.direction == Direction::kLater) before = id;
    }
  }
  return absl::OkStatus();
}

bool Orders::must_stop() {
  if (end_ != SearchEnd::kNothingBetter) return true;
  if (options_.trials && trials_ >= *options_.trials) end_ = SearchEnd::kTrials;
  if (end_ == SearchEnd::kNothingBetter && std::chrono::steady_clock::now() >= deadline_) end_ = SearchEnd::kSeconds;
  return end_ != SearchEnd::kNothingBetter;
}

}  // namespace hloroof::internal::inline reschedule
