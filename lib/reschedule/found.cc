#include "lib/reschedule/found.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/base/units.h"
#include "lib/ir/opcode_facts.h"

namespace hloroof::internal::inline reschedule {
namespace {

// A resource that is busy for a larger share of the step leaves nothing to hide.
constexpr double kBusyAllTheTime = 0.95;

constexpr std::size_t kMostBounds = 6;

class Describer {
 public:
  Describer(Orders& orders, const RescheduleOptions& options) : orders_(orders) {
    const StepPrediction& first = orders.first();
    result_.module = first.module_name;
    result_.device = first.device;
    result_.topology = first.topology;
    result_.diagnostics = first.diagnostics;
    result_.memory_limit_bytes = orders.limits().cost.peak_bytes;
    result_.seed = options.seed;
    result_.trials = orders.trials();
    result_.end = orders.end();
  }

  absl::StatusOr<Rescheduling> describe() {
    const absl::StatusOr<StepPrediction> step = orders_.predict();
    if (!step.ok()) return step.status();
    result_.before = cost_of(orders_.first());
    result_.after = cost_of(*step);
    result_.lower_bound_seconds = step->lower_bound_seconds;
    find_limits(orders_.first());
    find_limits(*step);
    list_moves();
    add_waits(*step);
    add_resources(*step);
    add_blocking(*step);
    std::stable_sort(result_.bounds.begin(), result_.bounds.end(), [](const OrderBound& a, const OrderBound& b) {
      return a.seconds.value_or(0) > b.seconds.value_or(0);
    });
    if (result_.bounds.size() > kMostBounds) result_.bounds.resize(kMostBounds);
    add_refused("memory", orders_.refused_memory(), "need more memory than the limit");
    add_refused("in flight", orders_.refused_in_flight(),
                "have more transfers of one lane in flight than the module had");
    return std::move(result_);
  }

 private:
  std::string name(InstructionId id) const { return std::string(orders_.module().instruction(id).name()); }

  // ---- The moves ---------------------------------------------------------------------------------------------------

  // The link of each transfer that something waits for.
  void find_limits(const StepPrediction& step) {
    for (const OpPrediction& op : step.ops) {
      for (const TransferWait& wait : op.waits) links_.try_emplace(wait.transfer.index, wait.limit);
    }
  }

  // The moves of an instruction in one direction are one.
  void list_moves() {
    std::map<std::pair<std::uint32_t, Direction>, std::size_t> listed;  // indices of result_.moves
    for (const KeptStep& step : orders_.kept()) {
      const auto [at, is_new] = listed.try_emplace({step.id.index, step.move.direction}, result_.moves.size());
      if (is_new) result_.moves.push_back(first_move(step));
      KeptMove& move = result_.moves[at->second];
      if (move.waiting.empty() && step.reason) name_reason(*step.reason, move);
      move.to_before = name(step.move.before);
      move.along = std::max(move.along, static_cast<std::int64_t>(step.move.moved.size()) - 1);
      move.gain_seconds += step.gain_seconds;
      move.gain_bytes += step.gain_bytes;
    }
    std::erase_if(result_.moves, [](const KeptMove& move) { return move.gain_seconds == 0 && move.gain_bytes == 0; });
    std::stable_sort(result_.moves.begin(), result_.moves.end(),
                     [](const KeptMove& a, const KeptMove& b) { return a.gain_seconds > b.gain_seconds; });
  }

  KeptMove first_move(const KeptStep& step) const {
    KeptMove move;
    move.name = name(step.id);
    move.computation = std::string(orders_.module().instruction(step.id).computation().name());
    move.direction = step.move.direction;
    move.from_before = name(step.from_before);
    return move;
  }

  void name_reason(const Reason& reason, KeptMove& move) const {
    move.waiting = name(reason.waiting);
    move.transfer = name(reason.transfer);
    move.wait_seconds = reason.seconds;
    if (const auto link = links_.find(reason.transfer.index); link != links_.end()) move.limit = link->second;
  }

  // ---- The bounds --------------------------------------------------------------------------------------------------

  bool may_move_to(InstructionId id, Direction direction) {
    Reach reach;
    reach.direction = direction;
    reach.most_moved = kMostMoved;
    reach.most_places = 1;
    const std::vector<InstructionId>& order = orders_.order_of(orders_.computation_of(id));
    return !orders_.moves().places(order, orders_.place_of(id), reach).places.empty();
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
        const bool may_move = may_move_to(wait.transfer, Direction::kEarlier) || may_move_to(op.id, Direction::kLater);
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
      if (!is_blocking_collective(orders_.module().instruction(op.id).opcode()) || op.exposed_seconds <= 0) continue;
      seconds += op.exposed_seconds;
      ++count;
    }
    if (count == 0) return;
    result_.bounds.push_back({"blocking collectives", seconds,
                              format_count(count) + (count == 1 ? " collective" : " collectives") +
                                  " without a start and a done, which no order hides"});
  }

  void add_refused(std::string_view what, const Refused& refused, std::string_view why) {
    if (refused.count == 0 || refused.best_seconds >= result_.after.step_seconds) return;
    result_.bounds.push_back(
        {std::string(what), std::nullopt,
         absl::StrFormat("%s of the orders tried %s; the fastest of them takes %s",
                         format_count(static_cast<double>(refused.count)), why, format_seconds(refused.best_seconds))});
  }

  Orders& orders_;
  std::unordered_map<std::uint32_t, std::string> links_;  // by InstructionId
  Rescheduling result_;
};

}  // namespace

absl::StatusOr<Rescheduling> describe_found(Orders& orders, const RescheduleOptions& options) {
  return Describer(orders, options).describe();
}

}  // namespace hloroof::internal::inline reschedule
