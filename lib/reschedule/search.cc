#include "lib/reschedule/search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "hloroof/edit.h"
#include "lib/analysis/calls.h"
#include "lib/base/strings.h"
#include "lib/ir/rows.h"
#include "lib/reschedule/found.h"
#include "lib/reschedule/orders.h"
#include "lib/reschedule/walk.h"

namespace hloroof::internal::inline reschedule {
namespace {

// The largest buffers at the memory peak, whose definitions the search moves later.
constexpr std::size_t kBuffersTried = 16;

// Tries the moves that most likely shorten the waits, one after the other, and keeps the best for each wait. The order
// that comes of it is the one that the walk begins with.
class Descent {
 public:
  explicit Descent(Orders& orders) : orders_(orders) {}

  absl::Status shorten_step() {
    while (!orders_.must_stop()) {
      bool is_better = false;
      std::set<std::tuple<std::uint32_t, Direction>> tried;
      for (const Reason& reason : find_reasons()) {
        for (const auto& [id, direction, most_moved] : ideas(reason)) {
          if (orders_.must_stop()) break;
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

  // Moves what is live at the peak to a later place if the step stays as it is.
  absl::Status lower_peak() {
    bool is_better = true;
    while (is_better && !orders_.must_stop()) {
      is_better = false;
      for (InstructionId id : definitions(orders_.memory())) {
        if (orders_.must_stop()) break;
        const absl::StatusOr<bool> kept = try_to_free(id);
        if (!kept.ok()) return kept.status();
        is_better |= *kept;
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Idea {
    InstructionId id;
    Direction direction = Direction::kEarlier;
    std::size_t most_moved = kMostMoved;
  };

  // The waits of the current order, longest first.
  std::vector<Reason> find_reasons() {
    std::vector<Reason> reasons = orders_.waits();
    const double least = kLeastGain * orders_.now().cost.step_seconds;
    std::erase_if(reasons, [&](const Reason& reason) { return reason.seconds <= least; });
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const Reason& a, const Reason& b) { return a.seconds > b.seconds; });
    return reasons;
  }

  // A transfer starts earlier, or its done waits later. One that only stands in the way may also start later, but takes
  // nothing along.
  std::vector<Idea> ideas(const Reason& reason) const {
    std::vector<Idea> ideas = {{reason.transfer, Direction::kEarlier}, {reason.waiting, Direction::kLater}};
    for (InstructionId start : orders_.facts().pairs.starts_of(reason.waiting)) {
      if (start != reason.transfer) ideas.push_back({start, Direction::kEarlier});
    }
    ideas.push_back({reason.transfer, Direction::kLater, 1});
    return ideas;
  }

  std::vector<Move> moves_of(InstructionId id, Direction direction, std::size_t most_moved, double wanted) {
    return orders_.moves().find(orders_.order_of(orders_.computation_of(id)), orders_.place_of(id), direction,
                                most_moved, wanted);
  }

  // Keeps the best of the moves of an instruction if it makes the step shorter.
  absl::StatusOr<bool> try_moves(InstructionId id, Direction direction, std::size_t most_moved, const Reason& reason) {
    const double least_gain = kLeastGain * orders_.now().cost.step_seconds;
    std::optional<Move> best;
    OrderState best_state = orders_.now();
    for (const Move& move : moves_of(id, direction, most_moved, orders_.in_one_execution(reason))) {
      if (orders_.must_stop()) break;
      OrderState then = orders_.now();
      const absl::StatusOr<bool> fits = orders_.try_move(move, best_state.cost.step_seconds - least_gain, then);
      if (!fits.ok()) return fits.status();
      if (!*fits) continue;
      best = move;
      best_state = then;
    }
    if (!best) return false;
    if (absl::Status status = orders_.keep(*best, id, reason, best_state); !status.ok()) return status;
    return true;
  }

  // The instructions that define the largest buffers at the peak.
  std::vector<InstructionId> definitions(const MemoryPrediction& memory) {
    std::set<std::string_view> names;
    for (const LiveBuffer& buffer : memory.live_at_peak) {
      if (names.size() < kBuffersTried) names.insert(buffer.name);
    }
    std::vector<InstructionId> found;
    for (ComputationId id : CallFacts::scheduled(orders_.facts().calls)) {
      for (InstructionView instruction : orders_.module().computation(id).instructions()) {
        const bool is_one = !orders_.moves().is_fixed(instruction.id()) && names.count(instruction.name()) != 0;
        if (is_one) found.push_back(instruction.id());
      }
    }
    return found;
  }

  absl::StatusOr<bool> try_to_free(InstructionId id) {
    const double now = orders_.now().cost.step_seconds;
    for (const Move& move : moves_of(id, Direction::kLater, 1, 0)) {
      if (orders_.must_stop()) break;
      OrderState then = orders_.now();
      const absl::StatusOr<bool> fits = orders_.try_move(move, now, then);
      if (!fits.ok()) return fits.status();
      if (!*fits || then.cost.peak_bytes >= orders_.now().cost.peak_bytes) continue;
      if (absl::Status status = orders_.keep(move, id, std::nullopt, then); !status.ok()) return status;
      return true;
    }
    return false;
  }

  Orders& orders_;
};

// The moves after which the step was shorter than ever before, as numbers of moves from the first one on; but not where
// it was as short as after all of them, which make the best order. `rounding` is no gain.
std::vector<std::size_t> shorter_after(const std::vector<KeptStep>& kept, double rounding) {
  double whole = 0;
  for (const KeptStep& step : kept) whole += step.gain_seconds;  // that of joint moves is the last one's
  std::vector<std::size_t> found;
  double gain = 0;
  double best = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    gain += kept[i].gain_seconds;
    if (gain <= best + rounding || gain >= whole - rounding) continue;
    best = gain;
    found.push_back(i + 1);
  }
  return found;
}

// Adds the orders on the way to the best one, spread evenly over those that were the best at their time: neighbours
// differ by few moves, so that whoever judges them by more than the prediction would learn little from them.
absl::Status add_others(Orders& orders, const Module& original, std::size_t most, Rescheduling& result) {
  constexpr double kRounding = 1e-9;  // of the step
  const std::vector<std::size_t> shorter = shorter_after(orders.kept(), kRounding * orders.first().step_seconds);
  const std::size_t count = std::min(most, shorter.size());
  for (std::size_t i = count; i > 0; --i) {  // the search can only go back
    const std::size_t at = most < shorter.size() ? shorter.size() * i / (count + 1) : i - 1;
    if (absl::Status status = orders.go_back(shorter[at], orders.now()); !status.ok()) return status;
    const absl::StatusOr<StepPrediction> step = orders.predict();
    if (!step.ok()) return step.status();
    OtherOrder other{original, cost_of(*step)};
    if (absl::Status status = orders.apply_to(other.module); !status.ok()) return status;
    if (absl::Status status = verify(other.module, original); !status.ok()) return status;
    result.others.push_back(std::move(other));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Rescheduling> search_order(Module& module, const Target& target, const RescheduleOptions& options) {
  if (!module.is_scheduled()) {
    return invalid_argument(
        "the module has no schedule (is_scheduled=true) to start from; give the dump after_optimizations of its "
        "compile");
  }
  absl::StatusOr<std::unique_ptr<Orders>> made = Orders::create(module, target, options);
  if (!made.ok()) return made.status();
  Orders& orders = **made;
  Descent descent(orders);
  if (absl::Status status = descent.shorten_step(); !status.ok()) return status;
  if (absl::Status status = descent.lower_peak(); !status.ok()) return status;
  if (absl::Status status = Walk(orders, options.seed).run(); !status.ok()) return status;
  const absl::StatusOr<StepPrediction> found = orders.predict();
  if (!found.ok()) return found.status();
  if (found->step_seconds > orders.first().step_seconds) {  // cannot be, unless the replay of a trial went wrong
    if (absl::Status status = orders.go_back(0, orders.now()); !status.ok()) return status;
  }
  absl::StatusOr<Rescheduling> result = describe_found(orders, options);
  if (!result.ok()) return result.status();
  Module ordered = module;
  if (absl::Status status = orders.apply_to(ordered); !status.ok()) return status;
  if (absl::Status status = verify(ordered, module); !status.ok()) return status;
  if (absl::Status status = add_others(orders, module, options.others, *result); !status.ok()) return status;
  module = std::move(ordered);
  return result;
}

}  // namespace hloroof::internal::inline reschedule
