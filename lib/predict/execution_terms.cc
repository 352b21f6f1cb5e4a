#include "lib/predict/execution_terms.h"
#include "lib/analysis/calls.h"

#include <utility>

#include "lib/cost/term_builder.h"
#include "lib/predict/facts.h"

namespace hloroof::internal {
namespace {

Term compiler_terms(double seconds, const DeviceFactors& device) {
  const Factor clock = device.over({"clock"});
  return leaf("estimate of the compiler", seconds, seconds * clock.value, "cycle", {clock});
}

// The collectives run one after another. Other work of the instruction runs at the same time.
Term with_collectives(const StepFacts& facts, InstructionId id, Term own) {
  const auto [first, last] = facts.collectives.by_carrier.equal_range(id.index);
  if (first == last) return own;
  std::vector<Term> parts;
  for (auto carried = first; carried != last; ++carried) {
    parts.push_back(collective_terms(facts.collectives.collectives[carried->second], facts.collectives.mesh,
                                     facts.collectives.mapping, facts.target.device, facts.options.collectives));
  }
  if (!own.is_leaf()) own.name = "work at the same time";
  return slowest("collective and work at the same time", {sum("collectives", std::move(parts)), std::move(own)});
}

}  // namespace

Term execution_terms(const StepFacts& facts, InstructionId id) {
  const Demand& demand = facts.costs.demand[id.index];
  const DeviceFactors device(facts.target.device);
  if (demand.step == Step::kLoop) {
    const TripCount* trips = CallFacts::trip_count(facts.calls, id);
    return device.seconds("loop overhead", static_cast<double>(trips != nullptr ? trips->value : 1), "trip",
                          {"overhead.loop_iteration"});
  }
  if (demand.seconds <= 0) return {};  // structural, or the receive of a message whose send is timed
  if (demand.step == Step::kBranch) return device.seconds("branch", 1, "", {"overhead.op"});
  const OpTime& time = facts.costs.time[id.index];
  if (time.source == CostSource::kCompiler) return compiler_terms(demand.seconds, device);
  Term term = with_collectives(facts, id,
                               op_terms(facts.costs.work[id.index], facts.target.device,
                                        time.launched_in_graph ? LaunchedBy::kCommandBuffer : LaunchedBy::kHost));
  for (const GradientExchange& exchange : facts.collectives.exchanges) {
    if (exchange.after != id || demand.step != Step::kStart) continue;  // otherwise a transfer of its own
    Term between = collective_terms(exchange.between, facts.collectives.mesh, facts.collectives.mapping,
                                    facts.target.device, facts.options.collectives);
    term = sum("transfer and exchange of the copies", {std::move(term), std::move(between)});
  }
  // Durations are clamped to kForever, so that their sums do not overflow.
  if (!(term.seconds < kForever)) return leaf("cut off", demand.seconds, demand.seconds, "s");
  return term;
}

}  // namespace hloroof::internal
