#include "lib/step/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "lib/analysis/calls.h"
#include "lib/hardware/better_number.h"
#include "lib/ir/rows.h"
#include "lib/schedule/timeline.h"
#include "lib/time/sustained_rate.h"
#include "lib/work/same_work.h"

namespace hloroof::internal::inline step {
namespace {

constexpr std::size_t kMostOps = 20;  // with the most time in the step, and as many of the longest

// Instructions whose time and demand are the same function of the device.
using Kind = std::vector<InstructionId>;

// The step with one number of the device changed. Most instructions repeat the work of others, and most numbers concern
// few of them: one instruction of each kind says whether a number changes its time, and only then the others are timed
// again.
class StepOnOtherDevice {
 public:
  explicit StepOnOtherDevice(const StepFacts& facts) : facts_(facts) {
    trial_.module = facts.module;
    trial_.options = facts.options;
    trial_.target = facts.target;
    trial_.calls = facts.calls;
    trial_.collectives = facts.collectives;
    trial_.code = facts.code;
    trial_.costs = facts.costs;
    trial_.pairs = facts.pairs;
    trial_.schedule = facts.schedule;
    list_kinds();
  }

  // Returns the seconds of the step; nullopt if there is no prediction with this value.
  std::optional<double> seconds_with(const std::string& path, double value) {
    // Code that was read for one device may not be that of another.
    if (facts_.code != nullptr) return predicted_from_scratch(path, value);
    trial_.target = facts_.target;
    if (!set_parameter(trial_.target.device, path, value).ok()) return std::nullopt;
    if (!cost_collectives_again()) return std::nullopt;
    find_products();
    std::vector<InstructionId> changed;
    for (const Kind& kind : kinds_) {
      time_again(cost_inputs(trial_), {&kind.front(), 1}, trial_.costs);
      if (demand(trial_, kind.front()) == demand(facts_, kind.front())) continue;
      time_again(cost_inputs(trial_), absl::MakeConstSpan(kind).subspan(1), trial_.costs);
      changed.insert(changed.end(), kind.begin(), kind.end());
    }
    if (changed.empty()) return facts_.timeline.seconds;
    if (needs_schedule(*facts_.module)) trial_.schedule = find_schedule(trial_);
    const double seconds =
        replayed_seconds(*trial_.module, trial_.calls, trial_.pairs, trial_.costs.demand, trial_.schedule);
    for (const InstructionId id : changed) trial_.costs.demand.at(id.index) = demand(facts_, id);
    if (!(seconds < kForever)) return std::nullopt;
    return seconds;
  }

 private:
  static const Demand& demand(const StepFacts& facts, InstructionId id) { return facts.costs.demand[id.index]; }

  std::optional<double> predicted_from_scratch(const std::string& path, double value) {
    PredictOptions options = facts_.options;
    options.set.emplace_back(path, value);
    trial_.collectives.collectives = facts_.collectives.collectives;
    if (!change_target(facts_.target, options, trial_).ok() || !replay_sums(trial_).ok()) return std::nullopt;
    return trial_.timeline.seconds;
  }

  // Whether the time of an instruction follows from its work alone.
  bool has_plain_time(InstructionId id) const {
    const CollectiveCosts& all = facts_.collectives;
    const Step step = demand(facts_, id).step;
    return facts_.options.estimates == EstimateSource::kModel && step != Step::kStart && step != Step::kDone &&
           !all.by_carrier.contains(id.index) && all.sends.count(id.index) == 0 &&
           all.slice_halves.count(id.index) == 0 &&
           std::none_of(all.exchanges.begin(), all.exchanges.end(),
                        [id](const GradientExchange& exchange) { return exchange.after == id; });
  }

  bool are_alike(InstructionId a, InstructionId b) const {
    const Costs& costs = facts_.costs;
    return row_of(*facts_.module, a).opcode == row_of(*facts_.module, b).opcode &&
           costs.time[a.index]->launched_in_graph == costs.time[b.index]->launched_in_graph &&
           costs.demand[a.index] == costs.demand[b.index] && same_work(costs.work[a.index], costs.work[b.index]);
  }

  void list_kinds() {
    absl::flat_hash_map<std::size_t, std::vector<std::size_t>> by_hash;  // indices of kinds_
    for (const ComputationId computation : CallFacts::scheduled(facts_.calls)) {
      for (const InstructionView instruction : facts_.module->computation(computation).instructions()) {
        const InstructionId id = instruction.id();
        if (!has_plain_time(id)) {
          kinds_.push_back({id});
          continue;
        }
        const std::size_t hash =
            absl::HashOf(work_hash(facts_.costs.work[id.index]), static_cast<int>(instruction.opcode()));
        std::vector<std::size_t>& kinds = by_hash[hash];
        const auto same = std::find_if(kinds.begin(), kinds.end(),
                                       [&](std::size_t kind) { return are_alike(kinds_[kind].front(), id); });
        if (same != kinds.end()) {
          kinds_[*same].push_back(id);
        } else {
          kinds.push_back(kinds_.size());
          kinds_.push_back({id});
        }
      }
    }
  }

  bool cost_collectives_again() {
    if (facts_.collectives.collectives.empty()) return true;
    absl::StatusOr<CollectiveCosts> costs =
        cost_collectives(*facts_.module, facts_.calls, facts_.collectives.collectives, trial_.target,
                         facts_.options.mesh, facts_.options.collectives);
    if (!costs.ok()) return false;
    trial_.collectives = *std::move(costs);
    return true;
  }

  // The seconds of the products at the burst rates, which decide the rate of all of them.
  void find_products() {
    if (facts_.costs.products.empty()) return;
    for (const Kind& kind : kinds_) {
      const double seconds = burst_seconds(facts_.costs.work[kind.front().index], trial_.target.device);
      for (const InstructionId id : kind) trial_.costs.products[id.index] = seconds;
    }
    add_up_products(cost_inputs(trial_), trial_.costs);
  }

  const StepFacts& facts_;
  StepFacts trial_;
  std::vector<Kind> kinds_;
};

std::vector<NumberSensitivity> numbers_of(const StepFacts& facts) {
  std::vector<NumberSensitivity> list;
  StepOnOtherDevice step(facts);
  const double before = facts.timeline.seconds;
  for (Parameter& parameter : parameters(facts.target.device)) {
    const std::optional<double> better = better_number(parameter, kBetter);
    if (!better || *better == *parameter.value) continue;
    const std::optional<double> seconds = step.seconds_with(parameter.path, *better);
    if (!seconds || *seconds == before) continue;
    NumberSensitivity& row = list.emplace_back();
    row.value = *parameter.value;
    row.better_value = *better;
    row.step_seconds = *seconds;
    row.saved_seconds = before - *seconds;
    if (*seconds > 0) row.elasticity = std::log(*seconds / before) / std::log(row.better_value / row.value);
    row.path = std::move(parameter.path);
    row.unit = std::move(parameter.unit);
    row.meaning = std::move(parameter.meaning);
  }
  std::stable_sort(list.begin(), list.end(), [](const NumberSensitivity& a, const NumberSensitivity& b) {
    return a.saved_seconds > b.saved_seconds;
  });
  return list;
}

// The ops with the most time in the step, those that are waited for included, and the longest ones.
std::set<std::size_t> ops_worth_trying(const StepFacts& facts, absl::Span<const OpPrediction> ops) {
  std::vector<double> in_step(facts.module->instruction_limit(), 0);
  for (const OpPrediction& op : ops) in_step[op.id.index] = op.exposed_seconds - op.wait_seconds;
  for (const Wait& wait : facts.timeline.waits) in_step[wait.cause.index] += wait.seconds;
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Step step = facts.costs.demand[ops[i].id.index].step;
    if ((step == Step::kRun || step == Step::kStart) && ops[i].total_seconds > 0) timed.push_back(i);
  }
  std::set<std::size_t> chosen;
  const auto choose = [&](const auto& seconds) {
    std::stable_sort(timed.begin(), timed.end(),
                     [&](std::size_t a, std::size_t b) { return seconds(ops[a]) > seconds(ops[b]); });
    chosen.insert(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(std::min(timed.size(), kMostOps)));
  };
  choose([&](const OpPrediction& op) { return in_step[op.id.index]; });
  choose([](const OpPrediction& op) { return op.total_seconds; });
  return chosen;
}

std::vector<OpSensitivity> ops_of(const StepFacts& facts, absl::Span<const OpPrediction> ops) {
  std::vector<OpSensitivity> list;
  PagedTable<Demand> demands = facts.costs.demand;
  for (const std::size_t i : ops_worth_trying(facts, ops)) {
    const OpPrediction& op = ops[i];
    demands.at(op.id.index) = scaled(facts.costs.demand[op.id.index], 0);
    OpSensitivity& row = list.emplace_back();
    row.id = op.id;
    row.name = op.name;
    row.total_seconds = op.total_seconds;
    row.step_seconds = replayed_seconds(*facts.module, facts.calls, facts.pairs, demands, facts.schedule);
    row.saved_seconds = facts.timeline.seconds - row.step_seconds;
    demands.at(op.id.index) = facts.costs.demand[op.id.index];
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const OpSensitivity& a, const OpSensitivity& b) { return a.saved_seconds > b.saved_seconds; });
  return list;
}

}  // namespace

Sensitivity find_sensitivity(const StepFacts& facts, absl::Span<const OpPrediction> ops) {
  return {numbers_of(facts), ops_of(facts, ops)};
}

}  // namespace hloroof::internal::inline step
