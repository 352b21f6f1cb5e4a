#include "lib/step/summary.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/types/span.h"
#include "lib/analysis/calls.h"
#include "lib/hardware/matrix_rate.h"
#include "lib/ir/rows.h"
#include "lib/step/other_program.h"
#include "lib/work/work.h"

namespace hloroof::internal::inline step {
namespace {

// Returns the seconds of the step in which its carrier runs a collective of this index. The rest of the time belongs to
// the other work in the fusion, which takes that long without the collective.
double exposed_by_running(const StepFacts& facts, std::size_t c, double executions) {
  const CollectiveCosts& all = facts.collectives;
  return std::min(facts.timeline.exposed[all.collectives[c].carrier.index], executions * all.costs[c].seconds);
}

}  // namespace

void Summary::fill_row(const StepFacts& facts, InstructionId id) {
  const Work& work = facts.costs.work[id.index];
  OpContribution& row = terms_[id.index];
  row.work.flops = work.flops;
  row.work.transcendentals = work.transcendentals;
  row.work.hbm_bytes = work.read.hbm + work.written.hbm;
  row.work.logical_bytes = work.logical_bytes;
  row.work.padded_bytes = work.padded_bytes;
  row.work.wire_bytes = facts.costs.time[id.index]->wire_bytes;
  row.time_source = worse(facts.costs.time[id.index]->source, work.source);
  row.source = op_source(facts, id);
  row.bound = facts.costs.time[id.index]->bound;
  const Step step = facts.costs.demand[id.index].step;
  row.is_start = step == Step::kStart;
  row.adds = step != Step::kFree || !row.work.are_zero();
}

void Summary::list_ops(const Module& module, ComputationId id) {
  ops_[id.index].clear();
  for (InstructionView instruction : module.computation(id).instructions()) {
    if (terms_[instruction.id().index].adds) ops_[id.index].push_back(instruction.id());
  }
}

void Summary::fill(const StepFacts& facts) {
  const Module& module = *facts.module;
  // Edits add instructions: the first that finds the table full moves it, which takes some milliseconds. Memory that is
  // not written takes no pages.
  terms_.reserve(module.instruction_limit() + module.instruction_limit() / 8);
  terms_.assign(module.instruction_limit(), {});
  ops_.assign(module.computation_limit(), {});
  contributions_ = PagedTable<ComputationContribution>(module.computation_limit());
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      fill_row(facts, instruction.id());
    }
    list_ops(module, id);
  }
  for (const auto& [carrier, c] : facts.collectives.by_carrier) terms_[carrier].carries = true;
  find_program(facts);
  update_calls(facts);
  update_all_sums();
}

void Summary::find_program(const StepFacts& facts) {
  const bool before = is_other_program_;
  is_other_program_ = is_other_program(*facts.module, facts.target.device);
  if (is_other_program_ != before) update_all_sums();
}

void Summary::update(const StepFacts& facts, absl::Span<const InstructionId> changed, const std::vector<bool>& stale) {
  const Module& module = *facts.module;
  cut(module);
  for (InstructionId id : changed) {
    fill_row(facts, id);
    terms_[id.index].carries = facts.collectives.by_carrier.contains(id.index);
  }
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    if (!stale[id.index]) continue;
    list_ops(module, id);
    is_added_[id.index] = false;
  }
  find_program(facts);
}

void Summary::cut(const Module& module) {
  terms_.resize(module.instruction_limit());
  ops_.resize(module.computation_limit());
  contributions_.resize(module.computation_limit());
  is_added_.resize(module.computation_limit(), false);
}

void Summary::update_calls(const StepFacts& facts) {
  std::vector<bool> assumed = assumed_computations(facts);
  if (assumed == assumed_) return;
  assumed_ = std::move(assumed);
  update_all_sums();
}

void Summary::update_sums(absl::Span<const ComputationId> changed) {
  for (ComputationId id : changed) is_added_[id.index] = false;
}

void Summary::update_all_sums() { is_added_.assign(ops_.size(), false); }

CostSource Summary::source(const Module& module, InstructionId id) const {
  const CostSource source = terms_[id.index].source;
  return is_other_program_ || assumed_[row_of(module, id).computation.index] ? in_assumed(source) : source;
}

void ComputationContribution::add(const ComputationContribution& other) {
  work.add(other.work, 1);
  for (int r = 0; r < kResourceCount; ++r) exposed[r] += other.exposed[r];
  for (std::size_t i = 0; i < std::size(by_source); ++i) by_source[i] += other.by_source[i];
  exposed_communication += other.exposed_communication;
}

// Returns how long an op runs the collectives that it carries.
double Summary::exposed_on_the_wire(const StepFacts& facts, InstructionId op, double executions) const {
  if (facts.costs.demand[op.index].step != Step::kRun) return 0;
  const auto [first, last] = facts.collectives.by_carrier.equal_range(op.index);
  double seconds = 0;
  for (auto carried = first; carried != last; ++carried) {
    seconds += exposed_by_running(facts, carried->second, executions);
  }
  return seconds;
}

ComputationContribution Summary::contribution(const StepFacts& facts, ComputationId id) const {
  const Module& module = *facts.module;
  const ReplaySums& sums = facts.timeline;
  const double n = facts.executions(id);
  ComputationContribution sum;
  WorkSums work;  // a local variable stays in registers
  for (InstructionId op : ops_[id.index]) {
    const OpContribution& row = terms_[op.index];
    work.add(row.work, n);
    if (row.carries) sum.exposed_communication += exposed_on_the_wire(facts, op, n);
    const double own = sums.exposed[op.index] - sums.waited[op.index];
    if (own <= 0) continue;
    sum.exposed[static_cast<int>(row.is_start ? Resource::kLatency : row.bound)] += own;
    sum.by_source[static_cast<int>(source(module, op))] += own;
  }
  sum.work = work;
  for (const Wait& wait : sums.of[id.index].waits) {  // the transfers that cause it determine the bound
    sum.waits_for_others = sum.waits_for_others || row_of(module, wait.cause).computation != id;
    if (facts.costs.demand[wait.cause.index].between_seconds > 0) {  // between copies of the program: not in the text
      sum.exposed[static_cast<int>(Resource::kDcn)] += wait.seconds;
      sum.by_source[static_cast<int>(CostSource::kAssumed)] += wait.seconds;
      sum.exposed_communication += wait.seconds;
      continue;
    }
    sum.exposed[static_cast<int>(terms_[wait.cause.index].bound)] += wait.seconds;
    sum.by_source[static_cast<int>(worse(source(module, wait.op), terms_[wait.cause.index].time_source))] +=
        wait.seconds;
    if (terms_[wait.cause.index].carries) sum.exposed_communication += wait.seconds;
  }
  return sum;
}

ComputationContribution Summary::add_up_computations(const StepFacts& facts) {
  ComputationContribution sum;
  for (ComputationId id : facts.timeline.executed) {
    // An edit of the transfer of another computation does not mark those that wait for it.
    if (!is_added_[id.index] || contributions_[id.index].waits_for_others) {
      contributions_.at(id.index) = contribution(facts, id);
      is_added_[id.index] = true;
    }
    sum.add(contributions_[id.index]);
  }
  return sum;
}

void Summary::add_up(const StepFacts& facts, StepSummary& result) {
  const Module& module = *facts.module;
  const ReplaySums& sums = facts.timeline;
  const ComputationContribution sum = add_up_computations(facts);
  result.step_seconds = sums.seconds;
  result.serial_seconds = sums.serial_seconds;
  result.flops = sum.work.flops;
  result.transcendentals = sum.work.transcendentals;
  result.hbm_bytes = sum.work.hbm_bytes;
  result.logical_bytes = sum.work.logical_bytes;
  result.padded_bytes = sum.work.padded_bytes;
  result.wire_bytes = sum.work.wire_bytes;
  result.exposed_communication_seconds = sum.exposed_communication;
  for (const GradientExchange& exchange : facts.collectives.exchanges) {
    result.wire_bytes += facts.executions(row_of(module, exchange.after).computation) * exchange.cost.wire_bytes;
  }
  const double step = result.step_seconds;
  if (step > 0) {
    result.assumed_share = sum.by_source[static_cast<int>(CostSource::kAssumed)] / step;
    result.unknown_share = sum.by_source[static_cast<int>(CostSource::kUnknown)] / step;
    result.code_share = sum.by_source[static_cast<int>(CostSource::kCode)] / step;
    result.modelled_share = std::max(0.0, 1 - result.code_share - result.assumed_share - result.unknown_share);
  }
  result.family = facts.target.device.family();
  int bound = static_cast<int>(Resource::kLatency);
  for (int r = 0; r < kResourceCount; ++r) {
    if (sum.exposed[r] > sum.exposed[bound]) bound = r;
    const auto resource = static_cast<Resource>(r);
    if (resource == Resource::kLatency) continue;
    const double busy = sums.busy[r];
    ResourceUse use;
    use.resource = resource;
    use.busy_seconds = busy;
    use.utilization = step > 0 ? busy / step : 0;
    use.idle_seconds = std::max(0.0, step - busy);
    result.resources.push_back(use);
    result.lower_bound_seconds = std::max(result.lower_bound_seconds, busy);
  }
  result.lower_bound_seconds = std::min(result.lower_bound_seconds, step);
  result.bound = static_cast<Resource>(bound);
  const std::optional<double> peak = matrix_rate(facts.target.device.matrix.peak, MatrixType::kBf16).rate;
  if (peak && *peak > 0 && step > 0) result.hfu = result.flops / (step * *peak);
}

std::vector<double> exposed_of_collectives(const StepFacts& facts) {
  const Module& module = *facts.module;
  const CollectiveCosts& all = facts.collectives;
  std::vector<double> exposed(all.collectives.size(), 0);
  for (std::size_t c = 0; c < all.collectives.size(); ++c) {
    const InstructionId carrier = all.collectives[c].carrier;
    if (!all.is_carried[c] || facts.costs.demand[carrier.index].step != Step::kRun) continue;
    exposed[c] = exposed_by_running(facts, c, facts.executions(row_of(module, carrier).computation));
  }
  for (const Wait& wait : facts.timeline.waits) {
    if (facts.costs.demand[wait.cause.index].between_seconds > 0) continue;  // see Prediction::list_exchanges
    const auto [first, last] = all.by_carrier.equal_range(wait.cause.index);
    if (first != last) exposed[std::prev(last)->second] += wait.seconds;  // the last collective of the carrier
  }
  return exposed;
}

}  // namespace hloroof::internal::inline step
