#include "lib/reschedule/walk.h"

#include <algorithm>
#include <utility>

#include "lib/analysis/calls.h"
#include "lib/schedule/demand.h"

namespace hloroof::internal::inline reschedule {
namespace {

// The walk keeps a move only if the step becomes shorter. What was measured, as the sum of the changes in percent of
// the six programs of tpu/ in bench/README.md, with one seed (other random numbers change such sums by 0.4):
// - keeping the moves that leave the step as long as well: -10.0 and not -10.2 after 4,000 trials. Each trial took four
//   times as long, because the memory of so many more orders must be predicted.
// - keeping moves to steps up to 0.01 % longer than the best: -12.2 and not -12.3 after 8,000 trials.
// - after some trials in a row without a shorter step, kKicks moves away from the best order that make the step longer
//   by at most kFarthest: -12.8 and not -12.3 after 8,000 trials. After 200 or 600 in a row: -13.8 and -13.7 after
//   20,000.
// - all instructions and all kinds of places as often: -13.8 after 20,000 trials; with the shares below, -14.2.
constexpr std::size_t kPatience = 200;
constexpr int kKicks = 3;
constexpr double kFarthest = 1e-3;

// A smaller change is rounding.
constexpr double kRounding = 1e-9;

// Out of a hundred trials, those of moves for a wait and not of any instruction, and those of two moves at once.
constexpr std::size_t kForWaits = 50;
constexpr std::size_t kJoint = 20;

// The waits change little from one order to the next, so that they are not found again for so many trials.
constexpr std::size_t kTrialsWithSameWaits = 32;

// Proposals in a row that are no move, after which there is none.
constexpr std::size_t kMostEmpty = 10'000;

// A filler of a wait is searched among so many instructions on either side.
constexpr std::size_t kNear = 64;

}  // namespace

void Walk::find_movable() {
  for (ComputationId computation : CallFacts::scheduled(orders_.facts().calls)) {
    for (InstructionId id : orders_.order_of(computation)) {
      const Step step = orders_.facts().costs.demand[id.index].step;
      if (step == Step::kFree || orders_.moves().is_fixed(id)) continue;
      const bool is_of_transfer = step == Step::kStart || step == Step::kDone;
      movable_[static_cast<std::size_t>(is_of_transfer ? step : Step::kRun)].push_back(id);
    }
  }
}

void Walk::find_waits() {
  waits_ = orders_.waits();
  waits_up_to_.clear();
  double sum = 0;
  for (const Reason& wait : waits_) waits_up_to_.push_back(sum += wait.seconds);
  has_new_order_ = false;
  with_same_waits_ = 0;
}

std::optional<Move> Walk::move_of(InstructionId id, Direction direction, InstructionId until, double wanted) {
  Moves& moves = orders_.moves();
  if (moves.is_fixed(id)) return std::nullopt;
  Reach reach;
  reach.direction = direction;
  constexpr std::size_t kAlong[] = {1, 4, 16, 64};
  reach.most_moved = kAlong[below(4)];
  reach.counts_free = true;
  reach.until = until;
  if (!until.valid()) {
    switch (below(12)) {
      case 0: reach.most_places = 1; break;  // the nearest place
      case 1:
      case 2: reach.enough_seconds = wanted; break;  // where it passes as much time
      case 3:
      case 4:
      case 5: break;  // the farthest
      default:        // near ones more often than far ones
        reach.most_places = std::size_t{1} << below(9);
        reach.most_places += below(reach.most_places);
    }
  }
  const std::vector<InstructionId>& order = orders_.order_of(orders_.computation_of(id));
  const Places found = moves.places(order, orders_.place_of(id), reach);
  if (found.places.empty()) return std::nullopt;
  return found.move_to(found.places.size() - 1);
}

// Moves an op that takes time from outside into the time between the start of a transfer and its done.
std::optional<Move> Walk::propose_filler(const Reason& reason, KeptStep& step) {
  const bool is_behind = below(2) == 0;  // the filler comes from behind the done
  const InstructionId edge = is_behind ? reason.waiting : reason.transfer;
  const std::vector<InstructionId>& order = orders_.order_of(orders_.computation_of(edge));
  std::size_t at = orders_.place_of(edge);
  std::size_t left = 1 + below(kNear);
  while (left > 0) {
    if (is_behind ? ++at >= order.size() : at-- == 0) return std::nullopt;
    if (orders_.moves().seconds(order[at]) > 0) --left;
  }
  step.id = order[at];
  return move_of(order[at], is_behind ? Direction::kEarlier : Direction::kLater, edge, 0);
}

std::optional<Move> Walk::propose_for_wait(KeptStep& step) {
  const double at = waits_up_to_.back() * unit();
  const auto found = std::upper_bound(waits_up_to_.begin(), waits_up_to_.end(), at);
  if (found == waits_up_to_.end()) return std::nullopt;
  const Reason& reason = waits_[static_cast<std::size_t>(found - waits_up_to_.begin())];
  step.reason = reason;
  const double wanted = orders_.in_one_execution(reason);
  switch (below(10)) {
    case 0:
    case 1:
    case 2: step.id = reason.transfer; return move_of(step.id, Direction::kEarlier, {}, wanted);
    case 3:
    case 4: step.id = reason.waiting; return move_of(step.id, Direction::kLater, {}, wanted);
    case 5: step.id = reason.transfer; return move_of(step.id, Direction::kLater, {}, wanted);
    default: return propose_filler(reason, step);
  }
}

std::optional<Move> Walk::propose_any(KeptStep& step) {
  constexpr Step kSteps[] = {Step::kRun, Step::kStart, Step::kStart, Step::kDone};
  const std::vector<InstructionId>& some = movable_[static_cast<std::size_t>(kSteps[below(4)])];
  if (some.empty()) return std::nullopt;
  step.id = some[below(some.size())];
  const double wanted = orders_.moves().seconds(some[below(some.size())]);
  return move_of(step.id, below(2) == 0 ? Direction::kEarlier : Direction::kLater, {}, wanted);
}

std::optional<Move> Walk::propose(KeptStep& step) {
  const bool is_for_wait = !waits_.empty() && below(100) < kForWaits;
  return is_for_wait ? propose_for_wait(step) : propose_any(step);
}

// Tries `count` moves at once. Keeps them if the step takes at most so long.
absl::StatusOr<bool> Walk::try_moves(std::size_t count, double at_most) {
  std::vector<KeptStep> steps;
  for (std::size_t i = 0; i < 4 * count && steps.size() < count; ++i) {
    KeptStep step;
    std::optional<Move> move = propose(step);
    if (!move) continue;
    step.from_before = orders_.order_of(orders_.computation_of(step.id))[orders_.place_of(step.id) + 1];
    orders_.apply(*move);
    step.move = *std::move(move);
    steps.push_back(std::move(step));
  }
  empty_ = steps.empty() ? empty_ + 1 : 0;
  if (steps.empty()) return false;
  const OrderState before = orders_.now();
  OrderState then = before;
  const absl::StatusOr<bool> fits = orders_.is_at_most(at_most, then);
  if (!fits.ok()) return fits.status();
  if (!*fits) {
    if (absl::Status status = orders_.take_back(); !status.ok()) return status;
    return false;
  }
  steps.back().gain_seconds = before.cost.step_seconds - then.cost.step_seconds;
  steps.back().gain_bytes = before.cost.peak_bytes - then.cost.peak_bytes;
  if (absl::Status status = orders_.keep(std::move(steps), then); !status.ok()) return status;
  return true;
}

absl::Status Walk::start_again() {
  if (absl::Status status = orders_.go_back(best_kept_, best_); !status.ok()) return status;
  fails_ = 0;
  return absl::OkStatus();
}

bool Walk::is_best() const {
  const OrderCost& now = orders_.now().cost;
  if (now.step_seconds != best_.cost.step_seconds) return now.step_seconds < best_.cost.step_seconds;
  return now.peak_bytes < best_.cost.peak_bytes;
}

// Goes back to the best order and makes some moves that need not shorten the step.
absl::Status Walk::leave_best() {
  if (absl::Status status = start_again(); !status.ok()) return status;
  for (int i = 0; i < kKicks && !orders_.must_stop(); ++i) {
    const absl::StatusOr<bool> kept = try_moves(1, best_.cost.step_seconds * (1 + kFarthest));
    if (!kept.ok()) return kept.status();
  }
  find_waits();
  return absl::OkStatus();
}

absl::Status Walk::run() {
  find_movable();
  if (std::all_of(movable_.begin(), movable_.end(), [](const auto& some) { return some.empty(); })) {
    return absl::OkStatus();
  }
  find_waits();
  best_ = orders_.now();
  best_kept_ = orders_.kept().size();
  while (!orders_.must_stop() && empty_ < kMostEmpty) {
    const double now = orders_.now().cost.step_seconds;
    if (now <= orders_.transfers_free_seconds() * (1 + kRounding)) break;  // nothing waits, and nothing is slowed down
    const absl::StatusOr<bool> kept = try_moves(below(100) < kJoint ? 2 : 1, now * (1 - kRounding));
    if (!kept.ok()) return kept.status();
    ++fails_;
    has_new_order_ |= *kept;
    if (has_new_order_ && ++with_same_waits_ >= kTrialsWithSameWaits) find_waits();
    if (*kept && is_best()) {
      best_ = orders_.now();
      best_kept_ = orders_.kept().size();
      fails_ = 0;
    }
    if (fails_ <= kPatience) continue;
    if (absl::Status status = leave_best(); !status.ok()) return status;
  }
  return start_again();
}

}  // namespace hloroof::internal::inline reschedule
