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

void Summary::fill_row(const StepFacts& facts, InstructionId id) {
  const Work& work = facts.costs.work[id.index];
  OpContribution& row = terms_[id.index];
  row.flops = work.flops;
  row.transcendentals = work.transcendentals;
  row.hbm_bytes = work.read.hbm + work.written.hbm;
  row.logical_bytes = work.logical_bytes;
  row.padded_bytes = work.padded_bytes;
  row.wire_bytes = facts.costs.time[id.index]->wire_bytes;
  row.time_source = worse(facts.costs.time[id.index]->source, work.source);
  row.source = op_source(facts, id);
  row.bound = facts.costs.time[id.index]->bound;
  const Step step = facts.costs.demand[id.index].step;
  row.is_start = step == Step::kStart;
  row.adds = step != Step::kFree || row.flops != 0 || row.transcendentals != 0 || row.hbm_bytes != 0 ||
             row.logical_bytes != 0 || row.padded_bytes != 0 || row.wire_bytes != 0;
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
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    for (InstructionView instruction : module.computation(id).instructions()) {
      fill_row(facts, instruction.id());
    }
    list_ops(module, id);
  }
  is_other_program_ = is_other_program(module, facts.target.device);
  update_calls(facts);
}

void Summary::update(const StepFacts& facts, absl::Span<const InstructionId> changed, const std::vector<bool>& stale) {
  const Module& module = *facts.module;
  cut(module);
  for (InstructionId id : changed) fill_row(facts, id);
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    if (stale[id.index]) list_ops(module, id);
  }
  is_other_program_ = is_other_program(module, facts.target.device);
}

void Summary::cut(const Module& module) {
  terms_.resize(module.instruction_limit());
  ops_.resize(module.computation_limit());
}

void Summary::update_calls(const StepFacts& facts) { assumed_ = assumed_computations(facts); }

CostSource Summary::source(const Module& module, InstructionId id) const {
  const CostSource source = terms_[id.index].source;
  return is_other_program_ || assumed_[row_of(module, id).computation.index] ? in_assumed(source) : source;
}

void Summary::add_up(const StepFacts& facts, StepSummary& result) const {
  const Module& module = *facts.module;
  const ReplaySums& sums = facts.timeline;
  result.step_seconds = sums.seconds;
  result.serial_seconds = sums.serial_seconds;
  double exposed[kResourceCount] = {};
  double by_source[static_cast<int>(CostSource::kUnknown) + 1] = {};
  OpContribution sum;  // a local variable stays in registers
  for (ComputationId id : CallFacts::scheduled(facts.calls)) {
    const double n = facts.executions(id);
    for (InstructionId op : ops_[id.index]) {
      const OpContribution& row = terms_[op.index];
      sum.flops += n * row.flops;
      sum.transcendentals += n * row.transcendentals;
      sum.hbm_bytes += n * row.hbm_bytes;
      sum.logical_bytes += n * row.logical_bytes;
      sum.padded_bytes += n * row.padded_bytes;
      sum.wire_bytes += n * row.wire_bytes;
      const double own = sums.exposed[op.index] - sums.waited[op.index];
      if (own <= 0) continue;
      exposed[static_cast<int>(row.is_start ? Resource::kLatency : row.bound)] += own;
      by_source[static_cast<int>(source(module, op))] += own;
    }
  }
  result.flops = sum.flops;
  result.transcendentals = sum.transcendentals;
  result.hbm_bytes = sum.hbm_bytes;
  result.logical_bytes = sum.logical_bytes;
  result.padded_bytes = sum.padded_bytes;
  result.wire_bytes = sum.wire_bytes;
  for (const GradientExchange& exchange : facts.collectives.exchanges) {
    result.wire_bytes += facts.executions(row_of(module, exchange.after).computation) * exchange.cost.wire_bytes;
  }
  for (const Wait& wait : sums.waits) {                              // the transfers that cause it determine the bound
    if (facts.costs.demand[wait.cause.index].between_seconds > 0) {  // between copies of the program: not in the text
      exposed[static_cast<int>(Resource::kDcn)] += wait.seconds;
      by_source[static_cast<int>(CostSource::kAssumed)] += wait.seconds;
      continue;
    }
    exposed[static_cast<int>(terms_[wait.cause.index].bound)] += wait.seconds;
    by_source[static_cast<int>(worse(source(module, wait.op), terms_[wait.cause.index].time_source))] += wait.seconds;
  }
  const double step = result.step_seconds;
  if (step > 0) {
    result.assumed_share = by_source[static_cast<int>(CostSource::kAssumed)] / step;
    result.unknown_share = by_source[static_cast<int>(CostSource::kUnknown)] / step;
    result.code_share = by_source[static_cast<int>(CostSource::kCode)] / step;
    result.modelled_share = std::max(0.0, 1 - result.code_share - result.assumed_share - result.unknown_share);
  }
  result.family = facts.target.device.family();
  int bound = static_cast<int>(Resource::kLatency);
  for (int r = 0; r < kResourceCount; ++r) {
    if (exposed[r] > exposed[bound]) bound = r;
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

std::vector<double> Summary::add_up_exposed(const StepFacts& facts, StepSummary& result) const {
  const Module& module = *facts.module;
  const ReplaySums& sums = facts.timeline;
  const CollectiveCosts& all = facts.collectives;
  std::vector<double> exposed(all.collectives.size(), 0);
  for (std::size_t c = 0; c < all.collectives.size(); ++c) {
    const std::uint32_t carrier = all.collectives[c].carrier.index;
    if (!all.is_carried[c] || facts.costs.demand[carrier].step != Step::kRun) continue;
    // The rest of the time belongs to the other work in the fusion, which takes that long without the collective.
    const double executions = facts.executions(row_of(module, InstructionId(carrier)).computation);
    exposed[c] = std::min(sums.exposed[carrier], executions * all.costs[c].seconds);
    result.exposed_communication_seconds += exposed[c];
  }
  for (const Wait& wait : sums.waits) {
    if (facts.costs.demand[wait.cause.index].between_seconds > 0) {  // see Prediction::list_exchanges
      result.exposed_communication_seconds += wait.seconds;
      continue;
    }
    const auto after = all.by_carrier.upper_bound(wait.cause.index);
    if (after == all.by_carrier.begin() || std::prev(after)->first != wait.cause.index) continue;
    exposed[std::prev(after)->second] += wait.seconds;  // the last collective of the carrier
    result.exposed_communication_seconds += wait.seconds;
  }
  return exposed;
}

}  // namespace hloroof::internal::inline step
