#include "lib/reschedule/search.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/base/units.h"
#include "lib/ir/opcode_facts.h"
#include "lib/ir/rows.h"
#include "lib/reschedule/constraints.h"
#include "lib/reschedule/in_flight.h"
#include "lib/step/facts.h"

namespace hloroof::internal::inline reschedule {
namespace {

// A prediction takes time in proportion to the module, so that the trials of any module take a few seconds.
constexpr double kTrialInstructions = 2e7;
constexpr double kLeastTrials = 200;
constexpr double kMostTrials = 10'000;

// A smaller part of the step is no reason to move anything.
constexpr double kLeastGain = 1e-6;

// Instructions that move together at most.
constexpr std::size_t kMostMoved = 64;

// The largest buffers at the memory peak, whose definitions the search moves later.
constexpr std::size_t kBuffersTried = 16;

// A resource that is busy for a larger share of the step leaves nothing to hide.
constexpr double kBusyAllTheTime = 0.95;

constexpr std::size_t kMostBounds = 6;

// A wait of the compute stream, as the reason for a move.
struct Reason {
  InstructionId waiting;
  InstructionId transfer;
  std::string limit;
  double seconds = 0;  // in the step
  double wanted = 0;   // in one execution
};

// What the search knows about the order that it has reached.
struct Now {
  OrderCost cost;
  double vmem_peak = 0;
  double host_peak = 0;
};

class Search {
 public:
  Search(Predictor predictor, const RescheduleOptions& options)
      : predictor_(std::move(predictor)),
        options_(options),
        deadline_(std::chrono::steady_clock::now() +
                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                      std::chrono::duration<double>(std::clamp(options.seconds, 0.0, 1e6)))) {}

  absl::Status run() {
    if (absl::Status status = begin(); !status.ok()) return status;
    if (absl::Status status = shorten_step(); !status.ok()) return status;
    if (absl::Status status = lower_peak(); !status.ok()) return status;
    return finish();
  }

  // Moves the instructions of the module that the predictor's was copied from.
  absl::Status apply_to(Module& module) const {
    ModuleEditor edit(module);
    for (const Move& move : kept_) {
      if (absl::Status status = apply(move, edit); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  Rescheduling take_result() { return std::move(result_); }

 private:
  const Module& module() const { return predictor_.module(); }
  std::string name(InstructionId id) const { return std::string(module().instruction(id).name()); }

  absl::Status begin() {
    absl::StatusOr<StepPrediction> step = predictor_.predict();
    if (!step.ok()) return step.status();
    absl::StatusOr<Constraints> constraints = find_constraints(*step->facts);
    if (!constraints.ok()) return constraints.status();
    constraints_ = *std::move(constraints);
    result_.module = step->module_name;
    result_.device = step->device;
    result_.topology = step->topology;
    result_.diagnostics = step->diagnostics;
    note_cost(*step);
    result_.before = now_.cost;
    if (options_.memory_limit && *options_.memory_limit < now_.cost.peak_bytes) {
      return invalid_argument("the module needs " + format_bytes(now_.cost.peak_bytes) +
                              " as it is, which is more than the memory limit of " +
                              format_bytes(*options_.memory_limit) + "; raise the limit");
    }
    limits_ = now_;
    if (options_.memory_limit) limits_.cost.peak_bytes = *options_.memory_limit;
    result_.memory_limit_bytes = limits_.cost.peak_bytes;
    find_transfers(*step->facts);
    find_seconds(*step);
    const double most =
        kTrialInstructions / static_cast<double>(std::max<std::size_t>(1, module().instruction_count()));
    most_trials_ = static_cast<std::int64_t>(std::clamp(most, kLeastTrials, kMostTrials));
    return absl::OkStatus();
  }

  void note_cost(const StepPrediction& step) {
    now_.cost.step_seconds = step.step_seconds;
    now_.cost.wait_seconds = 0;
    for (const OpPrediction& op : step.ops) now_.cost.wait_seconds += op.wait_seconds;
    set_peaks(step.memory, now_);
  }

  static void set_peaks(const MemoryPrediction& memory, Now& now) {
    now.cost.peak_bytes = memory.hbm_peak_bytes;
    now.vmem_peak = memory.vmem_peak_bytes;
    now.host_peak = memory.host_peak_bytes;
  }

  void find_transfers(const StepFacts& facts) {
    transfers_.calls = facts.calls;
    transfers_.pairs = facts.pairs;
    transfers_.step.reserve(facts.costs.demand.size());
    transfers_.lane.reserve(facts.costs.demand.size());
    for (const Demand& demand : facts.costs.demand) {
      transfers_.step.push_back(demand.step);
      transfers_.lane.push_back(demand.lane);
    }
    most_in_flight_ = most_in_flight(module(), transfers_);
    for (std::int64_t& most : most_in_flight_) {
      most = std::max<std::int64_t>(most, facts.target.device.schedule.transfers_ahead);
    }
  }

  // The time of the compute stream in one execution of each op: its own, or that of the computations that it calls.
  void find_seconds(const StepPrediction& step) {
    seconds_.assign(module().instruction_limit(), 0);
    std::vector<double> total(module().computation_limit(), 0);  // in the whole step, without waits
    executions_.assign(module().computation_limit(), 0);
    for (const OpPrediction& op : step.ops) {
      const ComputationId at = row_of(module(), op.id).computation;
      total[at.index] += op.exposed_seconds - op.wait_seconds;
      executions_[at.index] = op.executions;
      if (op.executions > 0) seconds_[op.id.index] = (op.exposed_seconds - op.wait_seconds) / op.executions;
    }
    for (ComputationView computation : module().computations()) {  // callees first
      for (InstructionView instruction : computation.instructions()) {
        if (!calls_schedules(instruction.opcode())) continue;
        for (ComputationId called : instruction.called_computations()) {
          if (!called.valid()) continue;
          total[computation.id().index] += total[called.index];
          const double times = executions_[computation.id().index];
          if (times > 0) seconds_[instruction.id().index] += total[called.index] / times;
        }
      }
    }
  }

  // ---- The step ----------------------------------------------------------------------------------------------------

  absl::Status shorten_step() {
    while (!must_stop()) {
      const absl::StatusOr<std::vector<Reason>> reasons = find_reasons();
      if (!reasons.ok()) return reasons.status();
      bool is_better = false;
      std::set<std::tuple<std::uint32_t, Direction>> tried;
      for (const Reason& reason : *reasons) {
        for (const auto& [id, direction, most_moved] : ideas(reason)) {
          if (must_stop()) break;
          if (!tried.emplace(id.index, direction).second) continue;
          const absl::StatusOr<bool> kept = try_moves(id, direction, most_moved, reason);
          if (!kept.ok()) return kept.status();
          is_better |= *kept;
        }
      }
      if (!is_better) break;
    }
    return absl::OkStatus();
  }

  // The waits of the current order, longest first.
  absl::StatusOr<std::vector<Reason>> find_reasons() {
    const absl::StatusOr<StepPrediction> step = predictor_.predict();
    if (!step.ok()) return step.status();
    std::vector<Reason> reasons;
    for (const OpPrediction& op : step->ops) {
      if (op.wait_seconds <= kLeastGain * step->step_seconds) continue;
      for (const TransferWait& wait : op.waits) {
        if (wait.seconds <= kLeastGain * step->step_seconds) continue;
        reasons.push_back(
            {op.id, wait.transfer, wait.limit, wait.seconds, op.wait_seconds / std::max(1.0, op.executions)});
      }
    }
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const Reason& a, const Reason& b) { return a.seconds > b.seconds; });
    return reasons;
  }

  struct Idea {
    InstructionId id;
    Direction direction = Direction::kEarlier;
    std::size_t most_moved = kMostMoved;
  };

  // A transfer starts earlier, or its done waits later. One that only stands in the way may also start later, but takes
  // nothing along.
  std::vector<Idea> ideas(const Reason& reason) const {
    std::vector<Idea> ideas = {{reason.transfer, Direction::kEarlier}, {reason.waiting, Direction::kLater}};
    for (InstructionId start : transfers_.pairs.starts_of(reason.waiting)) {
      if (start != reason.transfer) ideas.push_back({start, Direction::kEarlier});
    }
    ideas.push_back({reason.transfer, Direction::kLater, 1});
    return ideas;
  }

  const std::vector<InstructionId>& order_of(ComputationId computation) {
    std::vector<InstructionId>& order = orders_[computation.index];
    if (order.empty()) {
      order.reserve(module().computation(computation).instruction_count());
      for (InstructionView instruction : module().computation(computation).instructions()) {
        order.push_back(instruction.id());
      }
    }
    return order;
  }

  std::vector<Move> moves_of(InstructionId id, Direction direction, std::size_t most_moved, double wanted) {
    const std::vector<InstructionId>& order = order_of(row_of(module(), id).computation);
    const auto at = std::find(order.begin(), order.end(), id);
    if (at == order.end()) return {};
    const Moves moves = {constraints_, seconds_};
    return moves.find(order, static_cast<std::size_t>(at - order.begin()), direction, most_moved, wanted);
  }

  // Keeps the best of the moves of an instruction if it makes the step shorter.
  absl::StatusOr<bool> try_moves(InstructionId id, Direction direction, std::size_t most_moved, const Reason& reason) {
    const double least_gain = kLeastGain * now_.cost.step_seconds;
    std::optional<Move> best;
    Now best_now = now_;
    for (const Move& move : moves_of(id, direction, most_moved, reason.wanted)) {
      if (must_stop()) break;
      Now then = now_;
      const absl::StatusOr<bool> fits = try_move(move, best_now.cost.step_seconds - least_gain, then);
      if (!fits.ok()) return fits.status();
      if (!*fits) continue;
      best = move;
      best_now = then;
    }
    if (!best) return false;
    return keep(*best, id, best_now, &reason);
  }

  // Predicts the order after a move and takes the move back. Returns whether the step is shorter than `less_than` and
  // the order keeps the limits. Sets the step and the peaks of `then` if so.
  absl::StatusOr<bool> try_move(const Move& move, double less_than, Now& then) {
    const Checkpoint checkpoint = predictor_.checkpoint();
    absl::StatusOr<bool> fits = predict_move(move, less_than, then);
    if (absl::Status status = predictor_.rollback(checkpoint); !status.ok()) return status;
    if (absl::Status status = predictor_.release(checkpoint); !status.ok()) return status;
    return fits;
  }

  absl::StatusOr<bool> predict_move(const Move& move, double less_than, Now& then) {
    ++result_.trials;
    if (absl::Status status = apply(move, predictor_.edit()); !status.ok()) return status;
    const absl::StatusOr<StepSummary> summary = predictor_.summary();
    if (!summary.ok()) return summary.status();
    if (summary->step_seconds >= less_than) return false;
    const InFlight in_flight = most_in_flight(module(), transfers_);
    for (std::size_t lane = 0; lane < in_flight.size(); ++lane) {
      if (in_flight[lane] <= most_in_flight_[lane]) continue;
      refuse(refused_in_flight_, summary->step_seconds);
      return false;
    }
    const absl::StatusOr<MemoryPrediction> memory = predictor_.memory();
    if (!memory.ok()) return memory.status();
    if (memory->hbm_peak_bytes > limits_.cost.peak_bytes || memory->vmem_peak_bytes > limits_.vmem_peak ||
        memory->host_peak_bytes > limits_.host_peak) {
      refuse(refused_memory_, summary->step_seconds);
      return false;
    }
    then.cost.step_seconds = summary->step_seconds;
    set_peaks(*memory, then);
    return true;
  }

  static absl::Status apply(const Move& move, ModuleEditor& edit) {
    InstructionId before = move.before;
    for (InstructionId id : move.moved) {
      if (absl::Status status = edit.move_before(id, before); !status.ok()) return status;
      if (move.direction == Direction::kLater) before = id;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> keep(const Move& move, InstructionId id, const Now& then, const Reason* reason) {
    KeptMove kept;
    kept.name = name(id);
    kept.computation = std::string(module().instruction(id).computation().name());
    kept.direction = move.direction;
    const InstructionId next = row_of(module(), id).next;
    if (next.valid()) kept.from_before = name(next);
    kept.to_before = name(move.before);
    kept.along = static_cast<std::int64_t>(move.moved.size()) - 1;
    kept.gain_seconds = now_.cost.step_seconds - then.cost.step_seconds;
    kept.gain_bytes = now_.cost.peak_bytes - then.cost.peak_bytes;
    if (reason != nullptr) {
      kept.waiting = name(reason->waiting);
      kept.transfer = name(reason->transfer);
      kept.limit = reason->limit;
      kept.wait_seconds = reason->seconds;
    }
    if (absl::Status status = apply(move, predictor_.edit()); !status.ok()) return status;
    orders_.erase(row_of(module(), id).computation.index);
    now_ = then;
    kept_.push_back(move);
    note_move(id, std::move(kept));
    return true;
  }

  // Adds a move to those of the same instruction in the same direction.
  void note_move(InstructionId id, KeptMove kept) {
    const auto [at, is_new] = noted_.try_emplace({id.index, kept.direction}, result_.moves.size());
    if (is_new) {
      result_.moves.push_back(std::move(kept));
      return;
    }
    KeptMove& move = result_.moves[at->second];
    move.to_before = std::move(kept.to_before);
    move.along = std::max(move.along, kept.along);
    move.gain_seconds += kept.gain_seconds;
    move.gain_bytes += kept.gain_bytes;
  }

  // ---- The memory --------------------------------------------------------------------------------------------------

  // Moves what is live at the peak to a later place if the step stays as it is.
  absl::Status lower_peak() {
    bool is_better = true;
    while (is_better && !must_stop()) {
      const absl::StatusOr<MemoryPrediction> memory = predictor_.memory();
      if (!memory.ok()) return memory.status();
      is_better = false;
      for (InstructionId id : definitions(*memory)) {
        if (must_stop()) break;
        const absl::StatusOr<bool> kept = try_to_free(id);
        if (!kept.ok()) return kept.status();
        is_better |= *kept;
      }
    }
    return absl::OkStatus();
  }

  // The instructions that define the largest buffers at the peak.
  std::vector<InstructionId> definitions(const MemoryPrediction& memory) const {
    std::set<std::string_view> names;
    for (const LiveBuffer& buffer : memory.live_at_peak) {
      if (names.size() < kBuffersTried) names.insert(buffer.name);
    }
    std::vector<InstructionId> found;
    for (ComputationId id : CallFacts::scheduled(transfers_.calls)) {
      for (InstructionView instruction : module().computation(id).instructions()) {
        const bool is_one = !constraints_.is_fixed[instruction.id().index] && names.count(instruction.name()) != 0;
        if (is_one) found.push_back(instruction.id());
      }
    }
    return found;
  }

  absl::StatusOr<bool> try_to_free(InstructionId id) {
    const double rounding = 1e-12 * now_.cost.step_seconds;
    for (const Move& move : moves_of(id, Direction::kLater, 1, 0)) {
      if (must_stop()) break;
      Now then = now_;
      const absl::StatusOr<bool> fits = try_move(move, now_.cost.step_seconds + rounding, then);
      if (!fits.ok()) return fits.status();
      if (*fits && then.cost.step_seconds <= now_.cost.step_seconds && then.cost.peak_bytes < now_.cost.peak_bytes) {
        return keep(move, id, then, nullptr);
      }
    }
    return false;
  }

  // ---- The result --------------------------------------------------------------------------------------------------

  struct Refused {
    std::int64_t count = 0;
    double best_seconds = 0;  // of the fastest order
  };

  static void refuse(Refused& refused, double seconds) {
    refused.best_seconds = refused.count == 0 ? seconds : std::min(refused.best_seconds, seconds);
    ++refused.count;
  }

  bool must_stop() {
    if (result_.end != SearchEnd::kNothingBetter) return true;
    if (result_.trials >= most_trials_) result_.end = SearchEnd::kTrials;
    if (std::chrono::steady_clock::now() >= deadline_) result_.end = SearchEnd::kSeconds;
    return result_.end != SearchEnd::kNothingBetter;
  }

  absl::Status finish() {
    const absl::StatusOr<StepPrediction> step = predictor_.predict();
    if (!step.ok()) return step.status();
    note_cost(*step);
    result_.after = now_.cost;
    result_.lower_bound_seconds = step->lower_bound_seconds;
    add_waits(*step);
    add_resources(*step);
    add_blocking(*step);
    std::stable_sort(result_.bounds.begin(), result_.bounds.end(), [](const OrderBound& a, const OrderBound& b) {
      return a.seconds.value_or(0) > b.seconds.value_or(0);
    });
    if (result_.bounds.size() > kMostBounds) result_.bounds.resize(kMostBounds);
    std::stable_sort(result_.moves.begin(), result_.moves.end(),
                     [](const KeptMove& a, const KeptMove& b) { return a.gain_seconds > b.gain_seconds; });
    add_refused("memory", refused_memory_, "need more memory than the limit");
    add_refused("in flight", refused_in_flight_, "have more transfers of one lane in flight than the module had");
    return absl::OkStatus();
  }

  // Why waits for one link are left.
  struct Left {
    double queued = 0;  // behind other transfers
    double stuck = 0;   // for transfers that dependencies hold where they are
  };

  std::map<std::string, Left> waits_left(const StepPrediction& step) {
    std::map<std::string, Left> left;
    for (const OpPrediction& op : step.ops) {
      for (const TransferWait& wait : op.waits) {
        if (wait.seconds <= kLeastGain * step.step_seconds) continue;
        Left& of_link = left["wait (" + wait.limit + ")"];
        of_link.queued += wait.queued_seconds;
        const bool may_move = !moves_of(wait.transfer, Direction::kEarlier, kMostMoved, 0).empty() ||
                              !moves_of(op.id, Direction::kLater, kMostMoved, 0).empty();
        if (!may_move) of_link.stuck += wait.seconds - wait.queued_seconds;
      }
    }
    return left;
  }

  void add_waits(const StepPrediction& step) {
    bool waits = false;
    std::map<std::string, Left> left = waits_left(step);
    for (const BreakdownPart& part : step.breakdown) {
      const double least = kLeastGain * step.step_seconds;
      if (!part.is_wait || part.seconds <= least) continue;
      waits = true;
      const Left& why = left[part.name];
      std::string text;
      if (why.queued > least) text += format_seconds(why.queued) + " of it behind other transfers on the link, ";
      if (why.stuck > least) text += format_seconds(why.stuck) + " where dependencies leave no other place, ";
      result_.bounds.push_back({part.name, part.seconds,
                                text + (text.empty() ? "" : "and ") + "no other order tried makes the step shorter"});
    }
    if (!waits) {
      result_.bounds.push_back(
          {"no waits", std::nullopt, "the compute stream waits for no transfer, so there is nothing to hide"});
    }
  }

  void add_resources(const StepPrediction& step) {
    for (const ResourceUse& use : step.resources) {
      if (use.resource == Resource::kLatency || use.utilization < kBusyAllTheTime) continue;
      result_.bounds.push_back({std::string(to_string(use.resource, step.family)), use.busy_seconds,
                                "busy " + format_percent(use.utilization) + " of the step in any order"});
    }
  }

  void add_blocking(const StepPrediction& step) {
    double seconds = 0;
    double count = 0;
    for (const OpPrediction& op : step.ops) {
      if (!is_blocking_collective(module().instruction(op.id).opcode()) || op.exposed_seconds <= 0) continue;
      seconds += op.exposed_seconds;
      ++count;
    }
    if (count == 0) return;
    result_.bounds.push_back({"blocking collectives", seconds,
                              format_count(count) + (count == 1 ? " collective" : " collectives") +
                                  " without a start and a done, which no order hides"});
  }

  void add_refused(std::string_view what, const Refused& refused, std::string_view why) {
    if (refused.count == 0 || refused.best_seconds >= now_.cost.step_seconds) return;
    result_.bounds.push_back(
        {std::string(what), std::nullopt,
         absl::StrFormat("%s of the orders tried %s; the fastest of them takes %s",
                         format_count(static_cast<double>(refused.count)), why, format_seconds(refused.best_seconds))});
  }

  Predictor predictor_;
  const RescheduleOptions& options_;
  const std::chrono::steady_clock::time_point deadline_;
  std::int64_t most_trials_ = 0;

  Constraints constraints_;
  Transfers transfers_;
  InFlight most_in_flight_ = {};
  std::vector<double> seconds_;     // by InstructionId: of the compute stream in one execution, without waits
  std::vector<double> executions_;  // by ComputationId
  std::unordered_map<std::uint32_t, std::vector<InstructionId>> orders_;  // by ComputationId, made on demand

  Now now_;
  Now limits_;  // only the peaks
  Refused refused_memory_;
  Refused refused_in_flight_;
  std::vector<Move> kept_;
  std::map<std::pair<std::uint32_t, Direction>, std::size_t> noted_;  // indices of result_.moves
  Rescheduling result_;
};

}  // namespace

absl::StatusOr<Rescheduling> search_order(Module& module, const Target& target, const RescheduleOptions& options) {
  if (!module.is_scheduled()) {
    return invalid_argument(
        "the module has no schedule (is_scheduled=true) to start from; give the dump after_optimizations of its "
        "compile");
  }
  absl::StatusOr<Predictor> predictor = Predictor::create(module, target, options.predict);
  if (!predictor.ok()) return predictor.status();
  Search search(*std::move(predictor), options);
  if (absl::Status status = search.run(); !status.ok()) return status;
  if (absl::Status status = search.apply_to(module); !status.ok()) return status;
  return search.take_result();
}

}  // namespace hloroof::internal::inline reschedule
